//! A part of an open file, such as an asset that lies uncompressed in an APK.

use std::fs::File;
use std::io;
use std::sync::Arc;

use crate::error::{Result, SkillError};

/// A part of an open file. Whoever takes it in keeps its own duplicate of the descriptor, so the caller may close
/// its own when the call returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, uniffi::Record)]
pub struct FileRegion {
    /// Unix file descriptor, open for reading.
    pub descriptor: i32,
    /// Where the part starts, in bytes.
    pub offset: u64,
    /// How long it is, in bytes.
    pub length: u64,
}

/// An open region, from which any number of readers start.
#[derive(Debug)]
pub(super) struct OpenRegion {
    file: Arc<File>,
    offset: u64,
    length: u64,
}

/// Reads a region from its start. Leaves the position of the file as it is, which the descriptor shares with its
/// duplicates.
#[derive(Debug)]
pub(super) struct RegionReader {
    file: Arc<File>,
    at: u64,
    left: u64,
}

impl OpenRegion {
    /// Fails with InvalidArgument when the descriptor is not open.
    pub fn new(region: &FileRegion) -> Result<Self> {
        let file = duplicate(region.descriptor).map_err(|error| SkillError::InvalidArgument {
            argument: "model_region".to_owned(),
            reason: format!(
                "descriptor {} is not open for reading: {error}",
                region.descriptor
            ),
        })?;
        Ok(Self {
            file: file.into(),
            offset: region.offset,
            length: region.length,
        })
    }

    pub fn reader(&self) -> RegionReader {
        RegionReader {
            file: Arc::clone(&self.file),
            at: self.offset,
            left: self.length,
        }
    }
}

impl io::Read for RegionReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left).map_or(buffer.len(), |left| left.min(buffer.len()));
        let read = read_at(&self.file, &mut buffer[..most], self.at)?;
        if read == 0 && most > 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.at += read as u64;
        self.left -= read as u64;
        Ok(read)
    }
}

#[cfg(unix)]
#[allow(unsafe_code)]
fn duplicate(descriptor: i32) -> io::Result<File> {
    use std::os::fd::BorrowedFd;
    if descriptor < 0 {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    // Safety: the caller keeps the descriptor open for the call. Should it not be, the system refuses to duplicate it.
    let borrowed = unsafe { BorrowedFd::borrow_raw(descriptor) };
    Ok(borrowed.try_clone_to_owned()?.into())
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, at)
}

#[cfg(not(unix))]
fn duplicate(_: i32) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(not(unix))]
fn read_at(_: &File, _: &mut [u8], _: u64) -> io::Result<usize> {
    Err(io::ErrorKind::Unsupported.into())
}
