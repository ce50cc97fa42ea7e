//! A dense array with a shape, the storage format of frames and checkpoints.

use safetensors::Dtype;
use std::borrow::Cow;

/// A dense row-major array of one of four element types, owned or borrowed.
///
/// The number of elements always equals the product of the shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor<'a> {
    shape: Vec<usize>,
    data: TensorData<'a>,
}

impl<'a> Tensor<'a> {
    /// Creates an array of any shape.
    ///
    /// # Panics
    /// If the number of values is not the product of the shape.
    pub fn new<T: Element>(shape: Vec<usize>, values: impl Into<Cow<'a, [T]>>) -> Tensor<'a> {
        let values = values.into();
        assert_eq!(
            shape.iter().product::<usize>(),
            values.len(),
            "the shape {shape:?} does not match the number of values"
        );
        Tensor { shape, data: T::wrap(values) }
    }

    /// Creates an array of scalars, shape `[n]`.
    pub fn values<T: Element>(values: impl Into<Vec<T>>) -> Tensor<'a> {
        let values = values.into();
        Tensor::new(vec![values.len()], values)
    }

    /// Borrows scalars as an array of shape `[n]`.
    pub fn slice<T: Element>(values: &'a [T]) -> Tensor<'a> {
        Tensor::new(vec![values.len()], values)
    }

    /// Borrows `N`-vectors as an array of shape `[n, N]`.
    pub fn rows<T: Element, const N: usize>(rows: &'a [[T; N]]) -> Tensor<'a> {
        Tensor::new(vec![rows.len(), N], rows.as_flattened())
    }

    /// Creates an array without checking its length. The caller has compared shape and length.
    pub(crate) fn from_parts(shape: Vec<usize>, data: TensorData<'a>) -> Tensor<'a> {
        Tensor { shape, data }
    }

    /// Converts to a tensor that owns its elements.
    pub fn into_owned(self) -> Tensor<'static> {
        Tensor { shape: self.shape, data: self.data.into_owned() }
    }

    /// Returns the length of each axis.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns the elements in row-major order.
    pub fn data(&self) -> &TensorData<'a> {
        &self.data
    }

    /// Returns the elements if they are of type `T`.
    pub fn as_slice<T: Element>(&self) -> Option<&[T]> {
        T::unwrap(&self.data)
    }

    /// Returns the index of the first infinite or NaN element.
    pub fn first_non_finite(&self) -> Option<usize> {
        match &self.data {
            TensorData::F32(values) => values.iter().position(|v| !v.is_finite()),
            TensorData::F64(values) => values.iter().position(|v| !v.is_finite()),
            TensorData::U32(_) | TensorData::U64(_) => None,
        }
    }
}

/// A scalar type a [`Tensor`] can hold.
pub trait Element: Copy + Sized + 'static {
    /// Name in a file header.
    const DTYPE: Dtype;
    /// Wraps values in the matching variant.
    fn wrap(values: Cow<'_, [Self]>) -> TensorData<'_>;
    /// Returns the values if `data` is the matching variant.
    fn unwrap<'a>(data: &'a TensorData<'_>) -> Option<&'a [Self]>;
    /// Writes the values to `out` as little-endian bytes. The sizes must match.
    fn encode(values: &[Self], out: &mut [u8]);
    /// Reads values from little-endian bytes, without a copy if alignment and endianness allow. An incomplete last value is dropped.
    fn decode(bytes: &[u8]) -> Cow<'_, [Self]>;
}

/// Declares every element type once. Generates the enum, the trait implementations and the matches over types.
macro_rules! element_types {
    ($($variant:ident($scalar:ty) $what:literal,)*) => {
        /// The elements of a [`Tensor`].
        #[derive(Clone, Debug, PartialEq)]
        pub enum TensorData<'a> {
            $(#[doc = $what] $variant(Cow<'a, [$scalar]>),)*
        }

        impl TensorData<'_> {
            /// Returns the element type as named in a file header.
            pub fn dtype(&self) -> Dtype {
                match self {
                    $(TensorData::$variant(_) => Dtype::$variant,)*
                }
            }

            /// Returns the size of the elements in a file [bytes].
            pub fn byte_len(&self) -> usize {
                match self {
                    $(TensorData::$variant(values) => size_of_val(&values[..]),)*
                }
            }

            /// Passes the elements to `sink` as little-endian bytes, block by block. A file is then written without a second copy of the
            /// whole array in memory.
            pub(crate) fn for_each_block<E>(
                &self,
                mut sink: impl FnMut(&[u8]) -> Result<(), E>,
            ) -> Result<(), E> {
                let mut block = vec![0; BLOCK_BYTES.min(self.byte_len())];
                match self {
                    $(TensorData::$variant(values) => {
                        for part in values.chunks(BLOCK_BYTES / size_of::<$scalar>()) {
                            let bytes = &mut block[..size_of_val(part)];
                            <$scalar as Element>::encode(part, bytes);
                            sink(bytes)?;
                        }
                    })*
                }
                Ok(())
            }

            /// Reads elements of type `dtype`; returns `None` for an unsupported type.
            pub(crate) fn decode(dtype: Dtype, bytes: &[u8]) -> Option<TensorData<'_>> {
                match dtype {
                    $(Dtype::$variant => Some(TensorData::$variant(Element::decode(bytes))),)*
                    _ => None,
                }
            }

            /// Converts to data that own their elements.
            fn into_owned(self) -> TensorData<'static> {
                match self {
                    $(TensorData::$variant(values) => TensorData::$variant(Cow::Owned(values.into_owned())),)*
                }
            }
        }

        $(impl Element for $scalar {
            const DTYPE: Dtype = Dtype::$variant;

            fn wrap(values: Cow<'_, [Self]>) -> TensorData<'_> {
                TensorData::$variant(values)
            }

            fn unwrap<'a>(data: &'a TensorData<'_>) -> Option<&'a [Self]> {
                match data {
                    TensorData::$variant(values) => Some(values),
                    _ => None,
                }
            }

            fn encode(values: &[Self], out: &mut [u8]) {
                for (bytes, value) in out.as_chunks_mut().0.iter_mut().zip(values) {
                    *bytes = value.to_le_bytes();
                }
            }

            fn decode(bytes: &[u8]) -> Cow<'_, [Self]> {
                match bytemuck::try_cast_slice(bytes) {
                    Ok(values) if cfg!(target_endian = "little") => Cow::Borrowed(values),
                    _ => bytes.as_chunks().0.iter().map(|&value| <$scalar>::from_le_bytes(value)).collect(),
                }
            }
        })*
    };
}

element_types! {
    F32(f32) "32-bit floats.",
    F64(f64) "64-bit floats.",
    U32(u32) "32-bit unsigned integers.",
    U64(u64) "64-bit unsigned integers.",
}

/// Bytes per block of [`TensorData::for_each_block`]: large enough to amortize a system call, small enough for the cache.
const BLOCK_BYTES: usize = 1 << 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_concatenate_to_the_whole_array() {
        let values: Vec<u32> = (0..100_000).collect();
        let mut bytes = Vec::new();
        Tensor::values(values.clone())
            .data()
            .for_each_block(|block| {
                bytes.extend_from_slice(block);
                Ok::<(), ()>(())
            })
            .unwrap();
        assert_eq!(u32::decode(&bytes), values);
    }

    #[test]
    fn rows_keep_their_order() {
        let tensor = Tensor::rows(&[[1.0f64, 2.0, 3.0], [4.0, 5.0, 6.0]]);
        assert_eq!(tensor.shape(), [2, 3]);
        assert_eq!(tensor.as_slice::<f64>(), Some(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0][..]));
        assert_eq!(tensor.as_slice::<f32>(), None);
    }

    #[test]
    fn finds_the_first_non_finite_value() {
        assert_eq!(Tensor::values([1.0f32, f32::NAN]).first_non_finite(), Some(1));
        assert_eq!(Tensor::values([1.0f32, 2.0]).first_non_finite(), None);
    }
}
