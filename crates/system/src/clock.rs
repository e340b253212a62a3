//! Times as text, in UTC: when something was recorded, and what a server asks to wait for. Results never depend on them.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The present moment in UTC, such as `2026-11-21T03:30:05Z`.
pub fn now() -> String {
    // A clock before 1970 is wrong in any case.
    utc(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()))
}

/// Seconds since 1970 as date and time. Days to dates after Hinnant, "chrono-compatible low-level date algorithms".
fn utc(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Years begin in March here, so that the leap day is the last of its year.
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", second / 3600, second / 60 % 60, second % 60)
}

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// A time in the form that HTTP prefers, `Tue, 18 Aug 2026 09:30:00 GMT`; `None` for anything else.
pub fn parse_http_date(text: &str) -> Option<SystemTime> {
    let (_weekday, rest) = text.split_once(", ")?;
    let [day, month, year, time, "GMT"] = rest.split(' ').collect::<Vec<_>>()[..] else { return None };
    let month = MONTHS.iter().position(|name| *name == month)?;
    let (day, year): (u64, u64) = (day.parse().ok()?, year.parse().ok()?);
    let parts: Vec<u64> = time.split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let [hour, minute, second] = parts[..] else { return None };
    let in_range = (1970..=9999).contains(&year) && (1..=days_of_month(year, month)).contains(&day);
    if !in_range || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let days: u64 =
        (1970..year).map(days_of_year).sum::<u64>() + (0..month).map(|m| days_of_month(year, m)).sum::<u64>();
    let seconds = (days + day - 1) * 86_400 + hour * 3600 + minute * 60 + second;
    Some(UNIX_EPOCH + Duration::from_secs(seconds))
}

fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

fn days_of_year(year: u64) -> u64 {
    if is_leap(year) { 366 } else { 365 }
}

/// Days of a month, counted from 0.
fn days_of_month(year: u64, month: usize) -> u64 {
    match month {
        1 if is_leap(year) => 29,
        1 => 28,
        3 | 5 | 8 | 10 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By the command `date -u -d @SECONDS +%FT%TZ` of GNU coreutils.
    #[test]
    fn seconds_become_dates() {
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(utc(seconds), expected);
        }
    }

    #[test]
    fn http_dates_are_read_or_refused() {
        let seconds = |text| parse_http_date(text).map(|t| t.duration_since(UNIX_EPOCH).unwrap().as_secs());
        assert_eq!(seconds("Tue, 18 Aug 2026 09:30:00 GMT"), Some(1_787_045_400));
        assert_eq!(seconds("Tue, 29 Feb 2000 00:00:00 GMT"), Some(951_782_400));
        for bad in ["Mon, 29 Feb 2100 00:00:00 GMT", "18 Aug 2026 09:30:00 GMT", "Tue, 18 Aug 2026 25:30:00 GMT", "x, "]
        {
            assert_eq!(seconds(bad), None, "{bad}");
        }
    }
}
