//! Accessors: typed views of numbers in buffers. All bounds are checked before anything is read.

use super::container::Contents;
use super::document::Accessor;
use crate::error::Fault;

/// Limit on the size of an accessor without a buffer view [numbers]. Such an accessor is all zeros and takes no bytes in the file.
const MAX_ZEROS: usize = 1 << 24;

/// Limit on the size of one accessor [numbers]: each accessor is read as a whole.
const MAX_PER_ACCESSOR: usize = 1 << 28;

/// Limit on how many numbers are read from a file in total: any number of accessors can share the same bytes.
pub(super) const MAX_NUMBERS: usize = 1 << 30;

const REMEDY: &str = "the file is damaged; export it again";

/// The elements of an accessor as numbers.
pub(super) struct Numbers {
    /// Number of components of an element: 3 for positions, 4 for quaternions, 16 for matrices.
    pub width: usize,
    pub values: Vec<f64>,
}

impl Numbers {
    /// Returns the elements, or an error if they do not have `N` components each.
    pub fn elements<const N: usize>(&self, place: &str) -> Result<&[[f64; N]], Fault> {
        if self.width == N {
            return Ok(self.values.as_chunks().0);
        }
        Err(Fault::new(place, format!("its elements have {} components", self.width), format!("{N} are required")))
    }
}

/// The layout of an accessor, with checked bounds.
struct Shape<'a> {
    accessor: &'a Accessor,
    /// Number of components of an element, and of all elements together.
    width: usize,
    total: usize,
    component: Component,
    /// `None` if all values are zero.
    elements: Option<Elements<'a>>,
}

/// Elements in a byte slice, with checked bounds.
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
    /// Returns the number of elements of an accessor.
    pub fn count(&self, index: usize) -> Result<usize, Fault> {
        Ok(self.shape(index)?.accessor.count)
    }

    /// Returns the number of components of an accessor, over all elements.
    pub fn total(&self, index: usize) -> Result<usize, Fault> {
        Ok(self.shape(index)?.total)
    }

    /// Subtracts the numbers that are about to be read or created from the budget of the file.
    pub fn spend(&self, numbers: usize, place: &str) -> Result<(), Fault> {
        let left = self.numbers_left.get().checked_sub(numbers).ok_or_else(|| {
            let problem = format!("the limit of {MAX_NUMBERS} numbers per file is exceeded");
            Fault::new(place, problem, "export less at a time")
        })?;
        self.numbers_left.set(left);
        Ok(())
    }

    fn shape(&self, index: usize) -> Result<Shape<'_>, Fault> {
        let reject = |problem: String| Fault::new(format!("accessors[{index}]"), problem, REMEDY);
        let accessor =
            self.document.accessors.get(index).ok_or_else(|| reject("there is no such accessor".to_owned()))?;
        let width = match accessor.kind.as_str() {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" | "MAT2" => 4,
            "MAT3" => 9,
            "MAT4" => 16,
            other => return Err(reject(format!("its type is `{other}`"))),
        };
        let component = Component::of(accessor.component_type)
            .ok_or_else(|| reject(format!("its component type is {}", accessor.component_type)))?;
        let total = accessor.count.checked_mul(width).ok_or_else(|| reject("its count is too large".to_owned()))?;
        let elements = match accessor.buffer_view {
            Some(view) => Some(
                self.elements(view, accessor.byte_offset, accessor.count, width, component)
                    .ok_or_else(|| reject("it reaches beyond its buffer view".to_owned()))?,
            ),
            None if total <= MAX_ZEROS => None,
            None => return Err(reject(format!("it has {total} zeros and no buffer view"))),
        };
        Ok(Shape { accessor, width, total, component, elements })
    }

    /// Reads an accessor. Normalized integers are mapped to [-1, 1] or [0, 1].
    pub fn numbers(&self, index: usize) -> Result<Numbers, Fault> {
        let place = format!("accessors[{index}]");
        let reject = |problem: String| Fault::new(&place, problem, REMEDY);
        let Shape { accessor, width, total, component, elements } = self.shape(index)?;
        if total > MAX_PER_ACCESSOR {
            let problem = format!("it has {total} numbers, but the limit is {MAX_PER_ACCESSOR}");
            return Err(Fault::new(&place, problem, "export less at a time"));
        }
        self.spend(total, &place)?;
        let mut values = elements.map_or_else(|| vec![0.0; total], |elements| elements.read());
        if let Some(sparse) = &accessor.sparse {
            if sparse.count > accessor.count {
                return Err(reject(format!("it has {} sparse values for {} elements", sparse.count, accessor.count)));
            }
            let part = &sparse.indices;
            let indices = Component::of(part.component_type)
                .and_then(|component| self.elements(part.buffer_view, part.byte_offset, sparse.count, 1, component));
            let part = &sparse.values;
            let replaced = self.elements(part.buffer_view, part.byte_offset, sparse.count, width, component);
            let (Some(indices), Some(replaced)) = (indices, replaced) else {
                return Err(reject("its sparse values reach beyond their buffer views".to_owned()));
            };
            self.spend(sparse.count * (1 + width), &place)?;
            for (index, group) in indices.read().iter().zip(replaced.read().chunks_exact(width)) {
                // An index out of range saturates, so that `get_mut` rejects it.
                let at = (*index as usize).saturating_mul(width);
                let place = values.get_mut(at..at.saturating_add(width));
                place
                    .ok_or_else(|| reject(format!("its sparse index {index} is out of range")))?
                    .copy_from_slice(group);
            }
        }
        if accessor.normalized {
            values.iter_mut().for_each(|value| *value = component.normalized(*value));
        }
        Ok(Numbers { width, values })
    }

    /// Returns the elements of a buffer view, or `None` if they reach beyond the buffer.
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

/// The storage type of a component.
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

    /// Maps an integer of the full range to [-1, 1] or [0, 1].
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
    fn numbers_are_counted_on_every_read() {
        let accessors = r#"[{"componentType": 5126, "count": 5, "type": "VEC3"}]"#;
        let json = format!(r#"{{"asset": {{"version": "2.0"}}, "accessors": {accessors}}}"#);
        let contents = Contents::parse(json.as_bytes(), Path::new("a.gltf")).unwrap();
        assert_eq!((contents.count(0).unwrap(), contents.total(0).unwrap()), (5, 15));
        contents.numbers_left.set(40);
        for _ in 0..2 {
            assert_eq!(contents.numbers(0).unwrap().values, [0.0; 15]);
        }
        let fault = contents.numbers(0).err().unwrap();
        assert!(fault.place == "accessors[0]" && fault.problem.contains("numbers per file is exceeded"), "{fault:?}");
    }
}
