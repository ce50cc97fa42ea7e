//! Poses recorded at a constant rate: one `x,y,z,qx,qy,qz,qw` per line.

use super::shortened;
use crate::ImportError;
use crate::error::Fault;
use crate::file;
use fibra_core::geometry::{Keyframes, nearly_unit};
use glam::{DQuat, DVec3};
use std::path::Path;

const REMEDY: &str = "each line must be `x,y,z,qx,qy,qz,qw`: a translation [m] and a unit quaternion, all finite; lines that start with # are ignored";

/// Reads poses recorded at a constant rate `fps` [1/s] from time 0, from a text file with one pose `x,y,z,qx,qy,qz,qw` per line.
pub fn read_poses(path: impl AsRef<Path>, fps: f64) -> Result<Keyframes, ImportError> {
    let path = path.as_ref();
    parse_poses(&file::contents(path)?, fps, &path.display().to_string())
}

/// Parses the contents of a file of poses; `file` is its name in error messages.
pub fn parse_poses(bytes: &[u8], fps: f64, file: &str) -> Result<Keyframes, ImportError> {
    let text = String::from_utf8_lossy(bytes);
    let (mut translations, mut rotations) = (Vec::new(), Vec::new());
    for (index, line) in text.lines().enumerate() {
        if line.trim().is_empty() || line.trim_start().starts_with('#') {
            continue;
        }
        let fault = |problem| Fault::new(format!("line {}", index + 1), problem, REMEDY).named(file);
        let (translation, rotation) = parse_pose(line).map_err(fault)?;
        translations.push(translation);
        rotations.push(rotation);
    }
    if translations.is_empty() {
        return Err(ImportError::Unusable { file: file.to_owned(), problem: "no poses".to_owned(), remedy: REMEDY });
    }
    Ok(Keyframes::at_rate(fps, translations, rotations)?)
}

fn parse_pose(line: &str) -> Result<(DVec3, DQuat), String> {
    let mut numbers = Vec::with_capacity(7);
    for word in line.split(',') {
        match word.trim().parse::<f64>() {
            Ok(number) if number.is_finite() => numbers.push(number),
            _ => return Err(format!("`{}` is not a finite number", shortened(word.trim()))),
        }
    }
    let &[x, y, z, qx, qy, qz, qw] = numbers.as_slice() else {
        return Err(format!("{} numbers instead of 7", numbers.len()));
    };
    let rotation = nearly_unit(DQuat::from_xyzw(qx, qy, qz, qw))
        .map_err(|length| format!("the quaternion has the length {length} instead of 1"))?;
    Ok((DVec3::new(x, y, z), rotation))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fibra_core::geometry::Motion;

    #[test]
    fn poses_are_read() {
        let text = b"# x,y,z,qx,qy,qz,qw\r\n0,0,0,0,0,0,1\n\n 1, 2, 3, 0, 0, 1.0005, 0\n";
        let motion = Motion::Keyframes(parse_poses(text, 25.0, "path.csv").unwrap());
        assert_eq!(motion.at(0.02).translation, DVec3::new(0.5, 1.0, 1.5));
    }

    #[test]
    fn errors_name_file_and_line() {
        let cases = [
            ("0,0,0,0,0,0,1\n0,0,0,0,0,1\n", "path.csv, line 2: 6 numbers instead of 7"),
            ("# none\n", "path.csv: no poses"),
            ("0,0,zero,0,0,0,1", "path.csv, line 1: `zero` is not a finite number"),
            ("0,0,inf,0,0,0,1", "path.csv, line 1: `inf` is not a finite number"),
            ("0,0,0,0,0,0,2", "path.csv, line 1: the quaternion has the length 2"),
        ];
        for (text, message) in cases {
            let error = parse_poses(text.as_bytes(), 24.0, "path.csv").unwrap_err().to_string();
            assert!(error.starts_with(message), "{error}");
        }
        assert!(parse_poses(b"0,0,0,0,0,0,1", f64::NAN, "path.csv").is_err());
        let error = read_poses("no/such/file.csv", 24.0).unwrap_err().to_string();
        assert!(error.contains("no/such/file.csv"), "{error}");
    }
}
