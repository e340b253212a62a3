//! Row groups of a Parquet file whose pages are compressed with zstd or gzip.
//!
//! The reader of Parquet would take a C library for zstd. It hands out pages as they are stored where a column is said
//! to be uncompressed; they are unpacked here, by decoders that are in the program anyway.

use std::io::Read;
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

use super::headers::check_pages;
use crate::archive::{MOST_BYTES, unpack_zstd};

/// A row group of a file, with the whole file, in memory or not.
pub(crate) struct Unpacked<'f, R> {
    group: Box<dyn RowGroupReader + 'f>,
    file: Arc<R>,
}

impl<'f, R> Unpacked<'f, R> {
    pub(crate) fn new(group: Box<dyn RowGroupReader + 'f>, file: &Arc<R>) -> Self {
        Self { group, file: Arc::clone(file) }
    }
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
        check_pages(&*self.file, column)?;
        let gzip = match column.compression() {
            Compression::ZSTD(_) => false,
            Compression::GZIP(_) => true,
            _ => return self.group.get_column_page_reader(i),
        };
        let stored = column.clone().into_builder().set_compression(Compression::UNCOMPRESSED).build()?;
        let rows = usize::try_from(self.metadata().num_rows())?;
        let pages = SerializedPageReader::new(Arc::clone(&self.file), &stored, rows, None)?;
        Ok(Box::new(Pages { pages, gzip }))
    }

    fn get_column_bloom_filter(&self, i: usize) -> Option<&Sbbf> {
        self.group.get_column_bloom_filter(i)
    }

    fn get_row_iter(&self, projection: Option<Type>) -> Result<RowIter<'_>> {
        RowIter::from_row_group(projection, self)
    }
}

/// Unpacks gzip, or else zstd.
fn unpack(gzip: bool, packed: &[u8], into: &mut Vec<u8>) -> Result<()> {
    let failed = |error: String| ParquetError::General(format!("a page can't be unpacked: {error}"));
    if !gzip {
        return unpack_zstd(packed, into).map_err(failed);
    }
    let decoder = flate2::read::MultiGzDecoder::new(packed);
    let read = decoder.take(MOST_BYTES + 1).read_to_end(into).map_err(|error| failed(error.to_string()))?;
    if read as u64 > MOST_BYTES { Err(failed(format!("it holds more than {MOST_BYTES} bytes"))) } else { Ok(()) }
}

/// The pages of a column.
struct Pages<R: ChunkReader> {
    pages: SerializedPageReader<R>,
    /// Rather than zstd.
    gzip: bool,
}

impl<R: ChunkReader> Pages<R> {
    /// A stored page, its first `plain` bytes as they are and the rest unpacked.
    fn unpacked(&self, stored: &Bytes, plain: usize) -> Result<Bytes> {
        if plain > stored.len() {
            return Err(ParquetError::General("a page is shorter than its levels".to_owned()));
        }
        let mut bytes = stored[..plain].to_vec();
        // A page without any value has nothing to unpack.
        if plain < stored.len() {
            unpack(self.gzip, &stored[plain..], &mut bytes)?;
        }
        Ok(bytes.into())
    }
}

impl<R: ChunkReader> Iterator for Pages<R> {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Result<Page>> {
        self.get_next_page().transpose()
    }
}

impl<R: ChunkReader> PageReader for Pages<R> {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let Some(mut page) = self.pages.get_next_page()? else { return Ok(None) };
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
