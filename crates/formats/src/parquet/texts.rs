//! Values of warehouses as the texts that DuckDB writes of them.

use parquet::record::Field;

use crate::checksum::hex;

/// Bytes that a writer did not mark as text: text where they are, otherwise hexadecimal digits behind `0x`.
pub fn bytes(bytes: &[u8]) -> String {
    std::str::from_utf8(bytes).map_or_else(|_| format!("0x{}", hex(bytes)), str::to_owned)
}

/// A UUID with its hyphens; `None` if these are not 16 bytes.
pub fn uuid(bytes: &[u8]) -> Option<String> {
    let digits = (bytes.len() == 16).then(|| hex(bytes))?;
    let parts = [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]];
    Some(parts.join("-"))
}

/// A time in nanoseconds since 1970: date, time, the digits of the second that it has, and the zone if it is UTC;
/// `None` beyond the years that have a text.
pub fn time(nanoseconds: i64, utc: bool) -> Option<String> {
    let (seconds, fraction) = (nanoseconds.div_euclid(1_000_000_000), nanoseconds.rem_euclid(1_000_000_000));
    let text = Field::TimestampMillis(seconds.checked_mul(1000)?).to_string();
    let whole = text.split('.').next()?;
    Some(format!("{whole}{}{}", digits(fraction), if utc { "+00" } else { "" }))
}

/// A time of the day in nanoseconds.
pub fn clock(nanoseconds: i64) -> String {
    let (seconds, fraction) = (nanoseconds.div_euclid(1_000_000_000), nanoseconds.rem_euclid(1_000_000_000));
    format!("{:02}:{:02}:{:02}{}", seconds / 3600, seconds / 60 % 60, seconds % 60, digits(fraction))
}

/// A fraction of a second in nanoseconds, without trailing zeros.
fn digits(fraction: i64) -> String {
    let digits = format!(".{fraction:09}");
    digits.trim_end_matches('0').trim_end_matches('.').to_owned()
}
