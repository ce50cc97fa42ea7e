//! Recorded poses: the text file behind `motion.recorded`.

use super::collider::Recorded;
use super::model::Vec3;
use std::path::PathBuf;

/// A pose relative to the shape as written in the scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RecordedPose {
    /// How far the shape has moved [m].
    pub translation: Vec3,
    /// Rotation about the shape's centre: a quaternion x, y, z, w, not necessarily of length 1, but never 0.
    pub rotation: [f64; 4],
}

/// What is wrong with a file of poses.
#[derive(Debug, thiserror::Error)]
pub enum PosesError {
    /// It cannot be read.
    #[error("cannot read `{file}`: {cause}", file = file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// Why not.
        cause: std::io::Error,
    },
    /// A line does not hold a pose.
    #[error("`{file}`, line {line}: {what}", file = file.display())]
    BadLine {
        /// The file.
        file: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong with it.
        what: String,
    },
    /// There is no pose at all.
    #[error("`{file}` holds no poses", file = .0.display())]
    Empty(PathBuf),
}

impl Recorded {
    /// Reads the poses.
    pub fn poses(&self) -> Result<Vec<RecordedPose>, PosesError> {
        let file = PathBuf::from(&self.file);
        let text = match std::fs::read_to_string(&file) {
            Ok(text) => text,
            Err(cause) => return Err(PosesError::Unreadable { file, cause }),
        };
        let mut poses = Vec::new();
        for (index, line) in text.lines().enumerate() {
            match parse_pose(line) {
                Ok(pose) => poses.extend(pose),
                Err(what) => return Err(PosesError::BadLine { file, line: index + 1, what }),
            }
        }
        if poses.is_empty() { Err(PosesError::Empty(file)) } else { Ok(poses) }
    }
}

/// The pose on a line, or none when the line is blank or a comment.
fn parse_pose(line: &str) -> Result<Option<RecordedPose>, String> {
    let content = line.split('#').next().unwrap_or("");
    let words: Vec<&str> = content.split([',', ' ', '\t']).filter(|word| !word.is_empty()).collect();
    if words.is_empty() {
        return Ok(None);
    }
    if words.len() != 7 {
        return Err(format!("seven numbers are needed, {} are there", words.len()));
    }
    let mut numbers = [0.0f64; 7];
    for (number, word) in numbers.iter_mut().zip(&words) {
        *number = word.parse().map_err(|_| format!("`{word}` is not a number"))?;
        if !number.is_finite() {
            return Err(format!("`{word}` is not a finite number"));
        }
    }
    let [x, y, z, qx, qy, qz, qw] = numbers;
    let rotation = [qx, qy, qz, qw];
    if rotation == [0.0; 4] {
        return Err("the quaternion is all zeros".to_owned());
    }
    Ok(Some(RecordedPose { translation: [x, y, z], rotation }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn poses_are_read_and_bad_lines_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("poses.txt");
        let recorded = Recorded { file: file.display().to_string(), fps: 24.0 };
        let read = |text: &str| {
            std::fs::write(&file, text).unwrap();
            recorded.poses()
        };
        let poses = read("# x y z qx qy qz qw\n0 0 0 0 0 0 1\n\n1, 2, 3, 0, 0, 1, 0 # turned\n").unwrap();
        assert_eq!(poses[1], RecordedPose { translation: [1.0, 2.0, 3.0], rotation: [0.0, 0.0, 1.0, 0.0] });
        assert_eq!(poses.len(), 2);
        for (text, said) in [
            ("0 0 0 0 0 0 1\n0 0 0\n", "line 2: seven numbers are needed, 3 are there"),
            ("0 0 NaN 0 0 0 1\n", "line 1: `NaN` is not a finite number"),
            ("0 0 x 0 0 0 1\n", "line 1: `x` is not a number"),
            ("0 0 0 0 0 0 0\n", "line 1: the quaternion is all zeros"),
            ("# nothing\n", "holds no poses"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.ends_with(said), "{error}");
        }
    }
}
