//! Writes image files atomically: a file is either complete or absent.

use fibra_core::atomic_file::{self, AtomicFile, write_bytes_atomic};
use image::codecs::gif::{GifEncoder, Repeat};
use image::codecs::png::PngEncoder;
use image::{Delay, DynamicImage, Frame, ImageEncoder, ImageError, RgbImage};
use std::path::{Path, PathBuf};

/// Error of writing an image file. An existing file at the path is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The file could not be created, written or renamed.
    #[error(transparent)]
    Io(#[from] atomic_file::WriteError),
    /// The image could not be encoded.
    #[error("cannot encode {}: {source}", path.display())]
    Encode {
        /// The file.
        path: PathBuf,
        /// The error of the encoder.
        source: ImageError,
    },
    /// A frame rate that GIF files do not support; players slow down rates above 50.
    #[error("cannot write {}: {fps} frames per second; allowed are 0.01 to 50", path.display())]
    FramesPerSecond {
        /// The file.
        path: PathBuf,
        /// The requested frames per second [1/s].
        fps: f64,
    },
    /// An animation without frames.
    #[error("cannot write {}: the animation has no frames", path.display())]
    NoFrames {
        /// The file.
        path: PathBuf,
    },
    /// A frame is empty, differs in size from the first one, or exceeds 65535 pixels in width or height.
    #[error(
        "cannot write {}: frame {index} has {} x {} pixels; allowed are {} x {}",
        path.display(), size.0, size.1, allowed.0, allowed.1
    )]
    FrameSize {
        /// The file.
        path: PathBuf,
        /// Index of the frame, starting at 0.
        index: usize,
        /// Width and height of the frame [pixels].
        size: (u32, u32),
        /// Size of the first frame, or the maximum size for the first frame itself [pixels].
        allowed: (u32, u32),
    },
}

/// Writes an image as PNG.
pub fn write_png(path: &Path, image: &RgbImage) -> Result<(), WriteError> {
    let (width, height) = image.dimensions();
    let mut bytes = Vec::new();
    PngEncoder::new(&mut bytes)
        .write_image(image, width, height, image::ExtendedColorType::Rgb8)
        .map_err(|source| WriteError::Encode { path: path.to_owned(), source })?;
    Ok(write_bytes_atomic(path, &bytes)?)
}

/// Writes a looping GIF animation with a separate palette for each frame. Frames are taken from the iterator one at a time, so that
/// only one is in memory. The first error of the iterator is returned at once.
pub fn write_gif<E: From<WriteError>>(
    path: &Path,
    frames: impl IntoIterator<Item = Result<RgbImage, E>>,
    fps: f64,
) -> Result<(), E> {
    /// Speed of the palette quantization, from 1 (best quality) to 30. From 10 on, small objects lose their color.
    const SPEED: i32 = 3;
    let path_buf = || path.to_owned();
    if !(0.01..=50.0).contains(&fps) {
        return Err(WriteError::FramesPerSecond { path: path_buf(), fps }.into());
    }
    let io_error = |source| WriteError::Io(atomic_file::WriteError { path: path_buf(), bytes_needed: None, source });
    let encode_error = |error| match error {
        ImageError::IoError(source) => io_error(source),
        source => WriteError::Encode { path: path_buf(), source },
    };
    let mut file = AtomicFile::create(path).map_err(io_error)?;
    let mut encoder = GifEncoder::new_with_speed(&mut file, SPEED);
    encoder.set_repeat(Repeat::Infinite).map_err(encode_error)?;
    let mut first_size = None;
    let mut count = 0;
    for image in frames {
        let image = image?;
        let (size, largest) = (image.dimensions(), (u32::from(u16::MAX), u32::from(u16::MAX)));
        let allowed = first_size.unwrap_or(largest);
        let fits = size.0 > 0 && size.1 > 0 && size.0 <= largest.0 && size.1 <= largest.1;
        if !fits || first_size.is_some_and(|first| first != size) {
            return Err(WriteError::FrameSize { path: path_buf(), index: count, size, allowed }.into());
        }
        first_size = Some(size);
        // Delays are whole hundredths of a second. Rounding the time of each frame instead of each delay preserves the frame rate.
        let hundredths = |frame: usize| (100.0 * frame as f64 / fps).round() as u32;
        let delay = Delay::from_numer_denom_ms(10 * (hundredths(count + 1) - hundredths(count)), 1);
        let frame = Frame::from_parts(DynamicImage::from(image).into_rgba8(), 0, 0, delay);
        encoder.encode_frame(frame).map_err(encode_error)?;
        count += 1;
    }
    drop(encoder);
    if count == 0 {
        return Err(WriteError::NoFrames { path: path_buf() }.into());
    }
    Ok(file.commit().map_err(io_error)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::codecs::gif::GifDecoder;
    use image::{AnimationDecoder, Rgb};
    use std::ffi::OsString;
    use std::fs::{self, File};
    use std::io::BufReader;

    fn picture(shade: u8) -> RgbImage {
        RgbImage::from_fn(16, 9, |x, y| Rgb([shade, 10 * x as u8, 20 * y as u8]))
    }

    fn names(folder: &Path) -> Vec<OsString> {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect()
    }

    #[test]
    fn a_png_decodes_to_the_same_image() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.png");
        write_png(&path, &picture(1)).unwrap();
        write_png(&path, &picture(2)).unwrap();
        assert_eq!(image::open(&path).unwrap().into_rgb8(), picture(2));
        assert_eq!(names(folder.path()), ["a.png"]);
    }

    #[test]
    fn a_gif_has_all_frames_and_the_right_duration() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.gif");
        let frames = (0..24).map(|i| Ok::<_, WriteError>(picture(10 * i)));
        write_gif(&path, frames, 24.0).unwrap();
        let decoder = GifDecoder::new(BufReader::new(File::open(&path).unwrap())).unwrap();
        let frames = decoder.into_frames().collect_frames().unwrap();
        assert_eq!(frames.len(), 24);
        let milliseconds = |frame: &Frame| frame.delay().numer_denom_ms().0 / frame.delay().numer_denom_ms().1;
        assert_eq!(frames.iter().map(milliseconds).sum::<u32>(), 1000);
        // The image has at most 256 colors, so the palette contains all of them.
        assert_eq!(DynamicImage::from(frames[3].buffer().clone()).into_rgb8(), picture(30));
    }

    #[test]
    fn errors_name_the_path_and_leave_no_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.gif");
        let other_size = || vec![Ok(picture(0)), Ok(RgbImage::new(3, 3))];
        let broken: Vec<(Vec<Result<RgbImage, WriteError>>, f64)> = vec![
            (vec![], 10.0),
            (vec![Ok(RgbImage::new(0, 4))], 10.0),
            (vec![Ok(RgbImage::new(70_000, 1))], 10.0),
            (other_size(), 10.0),
            (other_size(), 0.0),
            (other_size(), f64::NAN),
            (vec![Ok(picture(0)), Err(WriteError::NoFrames { path: path.clone() })], 10.0),
        ];
        for (frames, fps) in broken {
            let error = write_gif(&path, frames, fps).unwrap_err();
            assert!(error.to_string().contains("a.gif"), "{error}");
            assert!(names(folder.path()).is_empty(), "after: {error}");
        }
        let error = write_png(&folder.path().join("missing/a.png"), &picture(0)).unwrap_err();
        assert!(matches!(&error, WriteError::Io(_)) && error.to_string().contains("missing/a.png"), "{error}");
        assert!(write_png(Path::new("/"), &picture(0)).is_err());
        assert!(write_png(&path, &RgbImage::new(0, 0)).is_err());
        fs::create_dir(&path).unwrap();
        assert!(write_png(&path, &picture(0)).is_err());
        assert_eq!(names(folder.path()), ["a.gif"]);
    }
}
