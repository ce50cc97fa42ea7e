//! Arrays on the device.

use crate::device::{DeviceError, Gpu};
use crate::launch::cubes_for;
use bytemuck::Pod;
use cubecl::prelude::*;
use cubecl::server::Handle;
use std::marker::PhantomData;

/// An array on a device. Clones share the memory.
#[derive(Clone, Debug)]
pub struct Buffer<T> {
    handle: Handle,
    len: usize,
    element: PhantomData<T>,
}

impl<T: Pod> Buffer<T> {
    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether the array is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the whole array as a kernel argument.
    pub fn arg<R: Runtime>(&self) -> ArrayArg<R> {
        self.arg_as::<T, R>()
    }

    /// Returns the whole array as a kernel argument with its bits reinterpreted as another type, such as an atomic.
    pub fn arg_as<U: Pod, R: Runtime>(&self) -> ArrayArg<R> {
        let elements = self.len * size_of::<T>() / size_of::<U>();
        // SAFETY: the memory was allocated for `len` elements of `T`, and has space for as many of `U`.
        unsafe { ArrayArg::from_raw_parts(self.handle.clone(), elements) }
    }

    /// Downloads the array. Waits for all kernels launched before.
    pub fn read<R: Runtime>(&self, gpu: &Gpu<R>) -> Result<Vec<T>, DeviceError> {
        self.read_range(gpu, 0..self.len)
    }

    /// Downloads a part of the array.
    pub fn read_range<R: Runtime>(&self, gpu: &Gpu<R>, range: std::ops::Range<usize>) -> Result<Vec<T>, DeviceError> {
        assert!(range.start <= range.end && range.end <= self.len);
        if range.is_empty() {
            return gpu.wait().map(|()| Vec::new());
        }
        let size = size_of::<T>();
        let capacity = self.len.max(1) * size;
        let part = self.handle.clone().offset_start((range.start * size) as u64);
        let bytes = gpu.read(part.offset_end((capacity - range.end * size) as u64))?;
        Ok(bytemuck::pod_collect_to_vec(&bytes[..range.len() * size]))
    }
}

const UNITS: u32 = 256;

#[cube(launch)]
fn clear(words: &mut Array<u32>) {
    if ABSOLUTE_POS < words.len() {
        words[ABSOLUTE_POS] = 0u32;
    }
}

impl<R: Runtime> Gpu<R> {
    /// Uploads the given elements to a new array.
    pub fn upload<T: Pod>(&self, elements: &[T]) -> Buffer<T> {
        if elements.is_empty() {
            return self.empty(0);
        }
        let handle = self.client.create_from_slice(bytemuck::cast_slice(elements));
        Buffer { handle, len: elements.len(), element: PhantomData }
    }

    /// Returns an error if an array of `len` elements cannot be indexed by kernels, which use 32 bits on every device.
    pub fn check_len(&self, len: usize) -> Result<(), DeviceError> {
        match u32::try_from(len) {
            Ok(_) => Ok(()),
            Err(_) => Err(DeviceError::Full { why: format!("an array of {len} numbers; the limit is {}", u32::MAX) }),
        }
    }

    /// Allocates an array of zeros.
    pub fn zeros<T: Pod>(&self, len: usize) -> Buffer<T> {
        let buffer = self.empty::<T>(len);
        let words = len * size_of::<T>() / size_of::<u32>();
        assert_eq!(words * size_of::<u32>(), len * size_of::<T>());
        clear::launch::<R>(&self.client, cubes_for(words, UNITS), CubeDim::new_1d(UNITS), buffer.arg_as::<u32, R>());
        buffer
    }

    /// Allocates an array of `len` elements without initializing them.
    pub fn empty<T: Pod>(&self, len: usize) -> Buffer<T> {
        // Devices cannot allocate zero bytes.
        Buffer { handle: self.client.empty(len.max(1) * size_of::<T>()), len, element: PhantomData }
    }
}
