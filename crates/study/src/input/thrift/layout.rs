//! The structures of a Parquet file's headers, by the numbers and types of their fields
//! (<https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift>). What is not named may be anything.

use super::Stop;

/// The type of a field.
pub(super) enum Type {
    Bool,
    I8,
    I16,
    /// Enumerations, too.
    I32,
    I64,
    Double,
    /// Bytes or a text.
    Binary,
    List(&'static Type),
    Struct(&'static Layout),
}
use Type::{Binary, Bool, Double, I8, I16, I32, I64, List, Struct};

/// The fields of a structure.
pub(super) struct Layout(&'static [(i16, Type)]);

impl Type {
    /// Refuses another type: `kind` as Thrift numbers it.
    pub(super) fn expect(&self, kind: u8) -> Result<(), Stop> {
        let as_it_should = match self {
            Bool => kind == super::TRUE || kind == super::FALSE,
            I8 => kind == super::I8,
            I16 => kind == super::I16,
            I32 => kind == super::I32,
            I64 => kind == super::I64,
            Double => kind == super::DOUBLE,
            Binary => kind == super::BINARY,
            List(_) => kind == super::LIST,
            Struct(_) => kind == super::STRUCT,
        };
        if as_it_should { Ok(()) } else { Err(Stop::Mistaken) }
    }
}

impl Layout {
    /// The type of a field.
    pub(super) fn field(&self, id: i16) -> Option<&'static Type> {
        self.0.iter().find(|(known, _)| *known == id).map(|(_, kind)| kind)
    }
}

/// `FileMetaData`: the footer.
pub(super) static FOOTER: Layout = Layout(&[
    (1, I32),
    (2, List(&Struct(&SCHEMA_ELEMENT))),
    (3, I64),
    (4, List(&Struct(&ROW_GROUP))),
    (5, List(&Struct(&KEY_VALUE))),
    (6, Binary),
    (7, List(&Struct(&COLUMN_ORDER))),
]);

static SCHEMA_ELEMENT: Layout = Layout(&[
    (1, I32),
    (2, I32),
    (3, I32),
    (4, Binary),
    (5, I32),
    (6, I32),
    (7, I32),
    (8, I32),
    (9, I32),
    (10, Struct(&LOGICAL_TYPE)),
]);

/// A union, most of whose members have no fields.
static LOGICAL_TYPE: Layout = Layout(&[
    (1, Struct(&EMPTY)),
    (2, Struct(&EMPTY)),
    (3, Struct(&EMPTY)),
    (4, Struct(&EMPTY)),
    (5, Struct(&DECIMAL)),
    (6, Struct(&EMPTY)),
    (7, Struct(&TIME)),
    (8, Struct(&TIME)),
    (10, Struct(&INTEGER)),
    (11, Struct(&EMPTY)),
    (12, Struct(&EMPTY)),
    (13, Struct(&EMPTY)),
    (14, Struct(&EMPTY)),
    (15, Struct(&EMPTY)),
    (16, Struct(&VARIANT)),
    (17, Struct(&GEOGRAPHY)),
    (18, Struct(&GEOGRAPHY)),
    (19, Struct(&EMPTY)),
]);

static EMPTY: Layout = Layout(&[]);
static DECIMAL: Layout = Layout(&[(1, I32), (2, I32)]);
static TIME: Layout = Layout(&[(1, Bool), (2, Struct(&TIME_UNIT))]);
static TIME_UNIT: Layout = Layout(&[(1, Struct(&EMPTY)), (2, Struct(&EMPTY)), (3, Struct(&EMPTY))]);
static INTEGER: Layout = Layout(&[(1, I8), (2, Bool)]);
static VARIANT: Layout = Layout(&[(1, I8)]);
/// `GeometryType` has the first field only.
static GEOGRAPHY: Layout = Layout(&[(1, Binary), (2, I32)]);
static KEY_VALUE: Layout = Layout(&[(1, Binary), (2, Binary)]);
static COLUMN_ORDER: Layout = Layout(&[(1, Struct(&EMPTY)), (2, Struct(&EMPTY)), (3, Struct(&EMPTY))]);

static ROW_GROUP: Layout = Layout(&[
    (1, List(&Struct(&COLUMN_CHUNK))),
    (2, I64),
    (3, I64),
    (4, List(&Struct(&SORTING_COLUMN))),
    (5, I64),
    (6, I64),
    (7, I16),
]);

static SORTING_COLUMN: Layout = Layout(&[(1, I32), (2, Bool), (3, Bool)]);

static COLUMN_CHUNK: Layout =
    Layout(&[(1, Binary), (2, I64), (3, Struct(&COLUMN_META_DATA)), (4, I64), (5, I32), (6, I64), (7, I32)]);

static COLUMN_META_DATA: Layout = Layout(&[
    (1, I32),
    (2, List(&I32)),
    (3, List(&Binary)),
    (4, I32),
    (5, I64),
    (6, I64),
    (7, I64),
    (8, List(&Struct(&KEY_VALUE))),
    (9, I64),
    (10, I64),
    (11, I64),
    (12, Struct(&STATISTICS)),
    (13, List(&Struct(&PAGE_ENCODING_STATS))),
    (14, I64),
    (15, I32),
    (16, Struct(&SIZE_STATISTICS)),
    (17, Struct(&GEOSPATIAL_STATISTICS)),
]);

static STATISTICS: Layout =
    Layout(&[(1, Binary), (2, Binary), (3, I64), (4, I64), (5, Binary), (6, Binary), (7, Bool), (8, Bool), (9, I64)]);

static PAGE_ENCODING_STATS: Layout = Layout(&[(1, I32), (2, I32), (3, I32)]);
static SIZE_STATISTICS: Layout = Layout(&[(1, I64), (2, List(&I64)), (3, List(&I64))]);
static GEOSPATIAL_STATISTICS: Layout = Layout(&[(1, Struct(&BOUNDING_BOX)), (2, List(&I32))]);
static BOUNDING_BOX: Layout =
    Layout(&[(1, Double), (2, Double), (3, Double), (4, Double), (5, Double), (6, Double), (7, Double), (8, Double)]);

/// Number of the field of [`PAGE`] that says how many bytes the page takes.
pub(super) const COMPRESSED_SIZE: i16 = 3;

/// `PageHeader`.
pub(super) static PAGE: Layout = Layout(&[
    (1, I32),
    (2, I32),
    (COMPRESSED_SIZE, I32),
    (4, I32),
    (5, Struct(&DATA_PAGE)),
    (6, Struct(&EMPTY)),
    (7, Struct(&DICTIONARY_PAGE)),
    (8, Struct(&DATA_PAGE_2)),
]);

static DATA_PAGE: Layout = Layout(&[(1, I32), (2, I32), (3, I32), (4, I32), (5, Struct(&STATISTICS))]);
static DICTIONARY_PAGE: Layout = Layout(&[(1, I32), (2, I32), (3, Bool)]);
static DATA_PAGE_2: Layout =
    Layout(&[(1, I32), (2, I32), (3, I32), (4, I32), (5, I32), (6, I32), (7, Bool), (8, Struct(&STATISTICS))]);
