//! The structures of a Parquet file's headers, by the numbers and types of their fields
//! (<https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift>). What is not named may be anything.

// Types as Thrift numbers them.
pub(super) const TRUE: u8 = 1;
pub(super) const FALSE: u8 = 2;
pub(super) const I8: u8 = 3;
pub(super) const I16: u8 = 4;
pub(super) const I32: u8 = 5;
pub(super) const I64: u8 = 6;
pub(super) const DOUBLE: u8 = 7;
pub(super) const BINARY: u8 = 8;
pub(super) const LIST: u8 = 9;
pub(super) const SET: u8 = 10;
pub(super) const MAP: u8 = 11;
pub(super) const STRUCT: u8 = 12;
pub(super) const UUID: u8 = 13;

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

/// The fields of a structure.
pub(super) struct Layout(&'static [(i16, Type)]);

impl Type {
    /// Whether it is the type that Thrift numbers so.
    pub(super) fn is(&self, kind: u8) -> bool {
        match self {
            Self::Bool => kind == TRUE || kind == FALSE,
            Self::I8 => kind == I8,
            Self::I16 => kind == I16,
            Self::I32 => kind == I32,
            Self::I64 => kind == I64,
            Self::Double => kind == DOUBLE,
            Self::Binary => kind == BINARY,
            Self::List(_) => kind == LIST,
            Self::Struct(_) => kind == STRUCT,
        }
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
    (1, Type::I32),
    (2, Type::List(&Type::Struct(&SCHEMA_ELEMENT))),
    (3, Type::I64),
    (4, Type::List(&Type::Struct(&ROW_GROUP))),
    (5, Type::List(&Type::Struct(&KEY_VALUE))),
    (6, Type::Binary),
    (7, Type::List(&Type::Struct(&COLUMN_ORDER))),
]);

static SCHEMA_ELEMENT: Layout = Layout(&[
    (1, Type::I32),
    (2, Type::I32),
    (3, Type::I32),
    (4, Type::Binary),
    (5, Type::I32),
    (6, Type::I32),
    (7, Type::I32),
    (8, Type::I32),
    (9, Type::I32),
    (10, Type::Struct(&LOGICAL_TYPE)),
]);

/// A union, most of whose members have no fields.
static LOGICAL_TYPE: Layout = Layout(&[
    (1, Type::Struct(&EMPTY)),
    (2, Type::Struct(&EMPTY)),
    (3, Type::Struct(&EMPTY)),
    (4, Type::Struct(&EMPTY)),
    (5, Type::Struct(&DECIMAL)),
    (6, Type::Struct(&EMPTY)),
    (7, Type::Struct(&TIME)),
    (8, Type::Struct(&TIME)),
    (10, Type::Struct(&INTEGER)),
    (11, Type::Struct(&EMPTY)),
    (12, Type::Struct(&EMPTY)),
    (13, Type::Struct(&EMPTY)),
    (14, Type::Struct(&EMPTY)),
    (15, Type::Struct(&EMPTY)),
    (16, Type::Struct(&VARIANT)),
    (17, Type::Struct(&GEOGRAPHY)),
    (18, Type::Struct(&GEOGRAPHY)),
    (19, Type::Struct(&EMPTY)),
]);

static EMPTY: Layout = Layout(&[]);
static DECIMAL: Layout = Layout(&[(1, Type::I32), (2, Type::I32)]);
static TIME: Layout = Layout(&[(1, Type::Bool), (2, Type::Struct(&TIME_UNIT))]);
static TIME_UNIT: Layout = Layout(&[(1, Type::Struct(&EMPTY)), (2, Type::Struct(&EMPTY)), (3, Type::Struct(&EMPTY))]);
static INTEGER: Layout = Layout(&[(1, Type::I8), (2, Type::Bool)]);
static VARIANT: Layout = Layout(&[(1, Type::I8)]);
/// `GeometryType` has the first field only.
static GEOGRAPHY: Layout = Layout(&[(1, Type::Binary), (2, Type::I32)]);
static KEY_VALUE: Layout = Layout(&[(1, Type::Binary), (2, Type::Binary)]);
static COLUMN_ORDER: Layout =
    Layout(&[(1, Type::Struct(&EMPTY)), (2, Type::Struct(&EMPTY)), (3, Type::Struct(&EMPTY))]);

static ROW_GROUP: Layout = Layout(&[
    (1, Type::List(&Type::Struct(&COLUMN_CHUNK))),
    (2, Type::I64),
    (3, Type::I64),
    (4, Type::List(&Type::Struct(&SORTING_COLUMN))),
    (5, Type::I64),
    (6, Type::I64),
    (7, Type::I16),
]);

static SORTING_COLUMN: Layout = Layout(&[(1, Type::I32), (2, Type::Bool), (3, Type::Bool)]);

static COLUMN_CHUNK: Layout = Layout(&[
    (1, Type::Binary),
    (2, Type::I64),
    (3, Type::Struct(&COLUMN_META_DATA)),
    (4, Type::I64),
    (5, Type::I32),
    (6, Type::I64),
    (7, Type::I32),
]);

static COLUMN_META_DATA: Layout = Layout(&[
    (1, Type::I32),
    (2, Type::List(&Type::I32)),
    (3, Type::List(&Type::Binary)),
    (4, Type::I32),
    (5, Type::I64),
    (6, Type::I64),
    (7, Type::I64),
    (8, Type::List(&Type::Struct(&KEY_VALUE))),
    (9, Type::I64),
    (10, Type::I64),
    (11, Type::I64),
    (12, Type::Struct(&STATISTICS)),
    (13, Type::List(&Type::Struct(&PAGE_ENCODING_STATS))),
    (14, Type::I64),
    (15, Type::I32),
    (16, Type::Struct(&SIZE_STATISTICS)),
    (17, Type::Struct(&GEOSPATIAL_STATISTICS)),
]);

static STATISTICS: Layout = Layout(&[
    (1, Type::Binary),
    (2, Type::Binary),
    (3, Type::I64),
    (4, Type::I64),
    (5, Type::Binary),
    (6, Type::Binary),
    (7, Type::Bool),
    (8, Type::Bool),
    (9, Type::I64),
]);

static PAGE_ENCODING_STATS: Layout = Layout(&[(1, Type::I32), (2, Type::I32), (3, Type::I32)]);
static SIZE_STATISTICS: Layout = Layout(&[(1, Type::I64), (2, Type::List(&Type::I64)), (3, Type::List(&Type::I64))]);
static GEOSPATIAL_STATISTICS: Layout = Layout(&[(1, Type::Struct(&BOUNDING_BOX)), (2, Type::List(&Type::I32))]);
static BOUNDING_BOX: Layout = Layout(&[
    (1, Type::Double),
    (2, Type::Double),
    (3, Type::Double),
    (4, Type::Double),
    (5, Type::Double),
    (6, Type::Double),
    (7, Type::Double),
    (8, Type::Double),
]);

/// Number of the field of [`PAGE`] that says how many bytes the page takes.
pub(super) const COMPRESSED_SIZE: i16 = 3;

/// `PageHeader`.
pub(super) static PAGE: Layout = Layout(&[
    (1, Type::I32),
    (2, Type::I32),
    (COMPRESSED_SIZE, Type::I32),
    (4, Type::I32),
    (5, Type::Struct(&DATA_PAGE)),
    (6, Type::Struct(&EMPTY)),
    (7, Type::Struct(&DICTIONARY_PAGE)),
    (8, Type::Struct(&DATA_PAGE_2)),
]);

static DATA_PAGE: Layout =
    Layout(&[(1, Type::I32), (2, Type::I32), (3, Type::I32), (4, Type::I32), (5, Type::Struct(&STATISTICS))]);
static DICTIONARY_PAGE: Layout = Layout(&[(1, Type::I32), (2, Type::I32), (3, Type::Bool)]);
static DATA_PAGE_2: Layout = Layout(&[
    (1, Type::I32),
    (2, Type::I32),
    (3, Type::I32),
    (4, Type::I32),
    (5, Type::I32),
    (6, Type::I32),
    (7, Type::Bool),
    (8, Type::Struct(&STATISTICS)),
]);
