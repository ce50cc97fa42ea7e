//! Writing of the `.hair` format.

use super::{COLORS, HairFile, POINTS, PerPoint, SEGMENTS, THICKNESS, TRANSPARENCY};
use std::io::{self, Write};

impl HairFile {
    /// Writes the file. Reading it back gives the same bits. Appearance arrays must have one value per point.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let looks = &self.looks;
        let mut arrays = POINTS;
        if self.segments.own.is_some() {
            arrays |= SEGMENTS;
        }
        arrays |= self.bit_of("thickness", &looks.thickness, THICKNESS)?;
        arrays |= self.bit_of("transparency", &looks.transparency, TRANSPARENCY)?;
        arrays |= self.bit_of("color", &looks.color, COLORS)?;

        out.write_all(b"HAIR")?;
        for word in [self.segments.strands, self.points.len() as u32, arrays, self.segments.default] {
            out.write_all(&word.to_le_bytes())?;
        }
        write_numbers(out, &[looks.thickness.default, looks.transparency.default])?;
        write_numbers(out, &looks.color.default)?;
        out.write_all(&self.information)?;
        for count in self.segments.own.iter().flatten() {
            out.write_all(&count.to_le_bytes())?;
        }
        write_numbers(out, self.points.as_flattened())?;
        write_numbers(out, looks.thickness.own.as_deref().unwrap_or_default())?;
        write_numbers(out, looks.transparency.own.as_deref().unwrap_or_default())?;
        write_numbers(out, looks.color.own.as_deref().unwrap_or_default().as_flattened())
    }

    /// Returns the bit of an appearance array if it is present, or an error if its length is not the number of points.
    fn bit_of<T>(&self, name: &str, look: &PerPoint<T>, bit: u32) -> io::Result<u32> {
        match &look.own {
            None => Ok(0),
            Some(own) if own.len() == self.points.len() => Ok(bit),
            Some(own) => {
                let problem = format!(
                    "`{name}` has {} values for {} points; it needs one value per point",
                    own.len(),
                    self.points.len()
                );
                Err(io::Error::new(io::ErrorKind::InvalidInput, problem))
            }
        }
    }
}

fn write_numbers(out: &mut impl Write, numbers: &[f32]) -> io::Result<()> {
    numbers.iter().try_for_each(|number| out.write_all(&number.to_le_bytes()))
}
