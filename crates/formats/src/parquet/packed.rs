//! Row groups of a Parquet file whose pages are compressed with zstd or gzip.
//!
//! The reader of Parquet would need a C library for zstd. It hands out pages as they are stored where a column is said
//! to be uncompressed; they are unpacked here, by decoders that are in the program anyway.

use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::Compression;
use parquet::bloom_filter::Sbbf;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::reader::{ChunkReader, RowGroupReader};
use parquet::file::serialized_reader::SerializedPageReader;
use parquet::record::reader::RowIter;
use parquet::schema::types::Type;

use judge_uncertainty_system::limits::Exceeded;

use super::headers::check_pages;
use crate::archive::{Allowed, unpack, unpack_zstd};

/// A row group of a file, with the whole file, in memory or not.
pub(crate) struct Unpacked<'f, R> {
    pub(super) group: Box<dyn RowGroupReader + 'f>,
    pub(super) file: Arc<R>,
    pub(super) allowed: Arc<Allowed>,
}

impl<R: ChunkReader + 'static> RowGroupReader for Unpacked<'_, R> {
    fn metadata(&self) -> &RowGroupMetaData {
        self.group.metadata()
    }

    fn num_columns(&self) -> usize {
        self.group.num_columns()
    }

    fn get_column_page_reader(&self, i: usize) -> Result<Box<dyn PageReader>> {
        let column = self.metadata().column(i);
        let claimed = check_pages(&*self.file, column)?;
        let repeated = column.column_descr().max_rep_level() > 0;
        let packed = column.compression();
        let pages = match packed {
            Compression::ZSTD(_) | Compression::GZIP(_) | Compression::UNCOMPRESSED => {
                let stored = column.clone().into_builder().set_compression(Compression::UNCOMPRESSED).build()?;
                let rows = usize::try_from(self.metadata().num_rows())?;
                Box::new(SerializedPageReader::new(Arc::clone(&self.file), &stored, rows, None)?)
            }
            _ => {
                // The crate unpacks them itself, and takes the room that they claim first.
                let taken = self.allowed.unpacked.take(claimed).and_then(|()| self.allowed.held.take(claimed));
                taken.map_err(too_much)?;
                self.group.get_column_page_reader(i)?
            }
        };
        Ok(Box::new(Pages { pages, packed, repeated, allowed: Arc::clone(&self.allowed) }))
    }

    fn get_column_bloom_filter(&self, i: usize) -> Option<&Sbbf> {
        self.group.get_column_bloom_filter(i)
    }

    fn get_row_iter(&self, projection: Option<Type>) -> Result<RowIter<'_>> {
        RowIter::from_row_group(projection, self)
    }
}

/// The error for a file that needs more memory than its limit allows.
pub(crate) fn too_much(exceeded: Exceeded) -> ParquetError {
    ParquetError::External(Box::new(exceeded))
}

/// The pages of a column, counted.
struct Pages {
    pages: Box<dyn PageReader>,
    packed: Compression,
    /// Whether a row may hold any number of its values.
    repeated: bool,
    allowed: Arc<Allowed>,
}

/// Bytes of memory for a value of a list.
const LISTED: u64 = 40;

impl Pages {
    /// A stored page, its first `plain` bytes as they are and the rest unpacked.
    fn unpacked(&self, stored: &Bytes, plain: usize) -> Result<Bytes> {
        if plain > stored.len() {
            return Err(ParquetError::General("a page is shorter than its levels".to_owned()));
        }
        let mut bytes = stored[..plain].to_vec();
        // A page without any value has nothing to unpack.
        if plain < stored.len() {
            let (packed, budget) = (&stored[plain..], &self.allowed.unpacked);
            let unpacked = match self.packed {
                Compression::GZIP(_) => unpack(flate2::read::MultiGzDecoder::new(packed), budget, &mut bytes),
                Compression::ZSTD(_) => unpack_zstd(packed, budget, &mut bytes),
                _ => return Ok(stored.clone()),
            };
            unpacked.map_err(|error| ParquetError::General(format!("a page can't be unpacked: {error}")))?;
            self.allowed.held.take(bytes.len() as u64).map_err(too_much)?;
        }
        Ok(bytes.into())
    }
}

impl Iterator for Pages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Result<Page>> {
        self.get_next_page().transpose()
    }
}

impl PageReader for Pages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let Some(mut page) = self.pages.get_next_page()? else { return Ok(None) };
        if self.repeated {
            self.allowed.held.take(LISTED * u64::from(page.num_values())).map_err(too_much)?;
        }
        match &mut page {
            Page::DataPage { buf, .. } | Page::DictionaryPage { buf, .. } => *buf = self.unpacked(buf, 0)?,
            Page::DataPageV2 { buf, is_compressed: true, def_levels_byte_len, rep_levels_byte_len, .. } => {
                let plain = *def_levels_byte_len as usize + *rep_levels_byte_len as usize;
                *buf = self.unpacked(buf, plain)?;
            }
            Page::DataPageV2 { .. } => {}
        }
        Ok(Some(page))
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }
}
