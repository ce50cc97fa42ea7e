//! Accessors: numbers in buffers, every one of which is looked for before it is read.

use super::container::Contents;
use super::document::Accessor;
use crate::error::Fault;

/// Most numbers of one accessor that has no bytes of its own: it is all zeros, and costs the file nothing.
const MOST_ZEROS: usize = 1 << 24;

/// Most numbers of any one accessor: they are read at once.
const MOST_OF_ONE: usize = 1 << 28;

/// Most numbers that are read from a file in all: the same bytes can be read again and again.
pub(super) const MOST_NUMBERS: usize = 1 << 30;

const REMEDY: &str = "the file is damaged; export it again";

/// Numbers in groups.
pub(super) struct Numbers {
    /// Numbers in a group: 3 for places, 4 for quaternions, 16 for matrices.
    pub width: usize,
    pub values: Vec<f64>,
}

impl Numbers {
    /// The groups, which must be of the size that is asked for.
    pub fn groups<const N: usize>(&self, place: &str) -> Result<&[[f64; N]], Fault> {
        if self.width == N {
            return Ok(self.values.as_chunks().0);
        }
        Err(Fault::new(place, format!("it has groups of {} numbers", self.width), format!("{N} are needed")))
    }
}

/// What an accessor says of its numbers, which are known to be there.
struct Shape<'a> {
    accessor: &'a Accessor,
    /// Numbers in a group, and in all groups.
    width: usize,
    total: usize,
    component: Component,
    /// Nothing where all of them are zeros.
    elements: Option<Elements<'a>>,
}

/// Groups of numbers, known to lie within their bytes.
struct Elements<'a> {
    bytes: &'a [u8],
    stride: usize,
    count: usize,
    width: usize,
    component: Component,
}

impl Elements<'_> {
    fn read(&self) -> Vec<f64> {
        let size = self.component.size();
        let groups = (0..self.count).map(|index| &self.bytes[index * self.stride..][..self.width * size]);
        let mut values = Vec::with_capacity(self.count * self.width);
        values.extend(groups.flat_map(|group| group.chunks_exact(size).map(|bytes| self.component.read(bytes))));
        values
    }
}

impl Contents {
    /// How many groups an accessor has.
    pub fn count(&self, index: usize) -> Result<usize, Fault> {
        Ok(self.shape(index)?.accessor.count)
    }

    /// How many numbers an accessor has.
    pub fn total(&self, index: usize) -> Result<usize, Fault> {
        Ok(self.shape(index)?.total)
    }

    /// Counts numbers that are about to be read or made.
    pub fn spend(&self, numbers: usize, place: &str) -> Result<(), Fault> {
        let left = self.numbers_left.get().checked_sub(numbers).ok_or_else(|| {
            let problem = format!("with it more than {MOST_NUMBERS} numbers are read in all");
            Fault::new(place, problem, "export less at a time")
        })?;
        self.numbers_left.set(left);
        Ok(())
    }

    fn shape(&self, index: usize) -> Result<Shape<'_>, Fault> {
        let refuse = |problem: String| Fault::new(format!("accessors[{index}]"), problem, REMEDY);
        let accessor =
            self.document.accessors.get(index).ok_or_else(|| refuse("there is no such accessor".to_owned()))?;
        let width = match accessor.kind.as_str() {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" | "MAT2" => 4,
            "MAT3" => 9,
            "MAT4" => 16,
            other => return Err(refuse(format!("its type is `{other}`"))),
        };
        let component = Component::of(accessor.component_type)
            .ok_or_else(|| refuse(format!("its component type is {}", accessor.component_type)))?;
        let total = accessor.count.checked_mul(width).ok_or_else(|| refuse("it is too long".to_owned()))?;
        let elements = match accessor.buffer_view {
            Some(view) => Some(
                self.elements(view, accessor.byte_offset, accessor.count, width, component)
                    .ok_or_else(|| refuse("it reaches beyond its buffer view".to_owned()))?,
            ),
            None if total <= MOST_ZEROS => None,
            None => return Err(refuse(format!("it has {total} zeros and no buffer view"))),
        };
        Ok(Shape { accessor, width, total, component, elements })
    }

    /// Reads an accessor; normalized integers become numbers from -1 or 0 to 1.
    pub fn numbers(&self, index: usize) -> Result<Numbers, Fault> {
        let place = format!("accessors[{index}]");
        let refuse = |problem: String| Fault::new(&place, problem, REMEDY);
        let Shape { accessor, width, total, component, elements } = self.shape(index)?;
        if total > MOST_OF_ONE {
            let problem = format!("it has {total} numbers, but {MOST_OF_ONE} can be read at once");
            return Err(Fault::new(&place, problem, "export less at a time"));
        }
        self.spend(total, &place)?;
        let mut values = elements.map_or_else(|| vec![0.0; total], |elements| elements.read());
        if let Some(sparse) = &accessor.sparse {
            if sparse.count > accessor.count {
                return Err(refuse(format!("it has {} sparse values of {}", sparse.count, accessor.count)));
            }
            let part = &sparse.indices;
            let indices = Component::of(part.component_type)
                .and_then(|component| self.elements(part.buffer_view, part.byte_offset, sparse.count, 1, component));
            let part = &sparse.values;
            let replaced = self.elements(part.buffer_view, part.byte_offset, sparse.count, width, component);
            let (Some(indices), Some(replaced)) = (indices, replaced) else {
                return Err(refuse("its sparse values reach beyond their buffer views".to_owned()));
            };
            self.spend(sparse.count * (1 + width), &place)?;
            for (index, group) in indices.read().iter().zip(replaced.read().chunks_exact(width)) {
                // A number that is no place in the list saturates, and is not found.
                let at = (*index as usize).saturating_mul(width);
                let place = values.get_mut(at..at.saturating_add(width));
                place.ok_or_else(|| refuse(format!("its sparse index {index} is too large")))?.copy_from_slice(group);
            }
        }
        if accessor.normalized {
            values.iter_mut().for_each(|value| *value = component.normalized(*value));
        }
        Ok(Numbers { width, values })
    }

    /// Finds groups of numbers, or nothing where they reach out of the buffer.
    fn elements(
        &self,
        view: usize,
        offset: usize,
        count: usize,
        width: usize,
        component: Component,
    ) -> Option<Elements<'_>> {
        let view = self.document.buffer_views.get(view)?;
        let bytes = self.buffers.get(view.buffer)?;
        let bytes = bytes.get(view.byte_offset..view.byte_offset.checked_add(view.byte_length)?)?.get(offset..)?;
        let group = width * component.size();
        let stride = view.byte_stride.filter(|stride| *stride > 0).unwrap_or(group);
        if stride < group {
            return None;
        }
        let needed = match count.checked_sub(1) {
            Some(before) => before.checked_mul(stride)?.checked_add(group)?,
            None => 0,
        };
        (needed <= bytes.len()).then_some(Elements { bytes, stride, count, width, component })
    }
}

/// How a number is written.
#[derive(Clone, Copy, PartialEq)]
enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    fn of(code: u32) -> Option<Self> {
        Some(match code {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            _ => return None,
        })
    }

    fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    fn read(self, bytes: &[u8]) -> f64 {
        let mut four = [0; 4];
        four[..bytes.len()].copy_from_slice(bytes);
        let bits = u32::from_le_bytes(four);
        match self {
            Self::I8 => f64::from(bits as u8 as i8),
            Self::I16 => f64::from(bits as u16 as i16),
            Self::U8 | Self::U16 | Self::U32 => f64::from(bits),
            Self::F32 => f64::from(f32::from_bits(bits)),
        }
    }

    /// An integer of the whole range as a number from -1 or 0 to 1.
    fn normalized(self, value: f64) -> f64 {
        match self {
            Self::I8 => (value / 127.0).max(-1.0),
            Self::U8 => value / 255.0,
            Self::I16 => (value / 32_767.0).max(-1.0),
            Self::U16 => value / 65_535.0,
            Self::U32 => value / f64::from(u32::MAX),
            Self::F32 => value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn numbers_are_counted_however_often_they_are_read() {
        let accessors = r#"[{"componentType": 5126, "count": 5, "type": "VEC3"}]"#;
        let json = format!(r#"{{"asset": {{"version": "2.0"}}, "accessors": {accessors}}}"#);
        let contents = Contents::parse(json.as_bytes(), Path::new("a.gltf")).unwrap();
        assert_eq!((contents.count(0).unwrap(), contents.total(0).unwrap()), (5, 15));
        contents.numbers_left.set(40);
        for _ in 0..2 {
            assert_eq!(contents.numbers(0).unwrap().values, [0.0; 15]);
        }
        let fault = contents.numbers(0).err().unwrap();
        assert!(fault.place == "accessors[0]" && fault.problem.contains("numbers are read in all"), "{fault:?}");
    }
}
