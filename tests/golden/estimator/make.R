# Expected values for crates/core/src/stats/estimator.rs, by R's packages survey and stats: Rscript make.R > expected.json
#
# Means and standard errors under designs as the package `survey` has them (svymean, svyratio and svyby over svydesign), and
# bounds of shares by binom.test (Clopper and Pearson). Values are short, so that the file is read easily.
suppressMessages(library(survey))
set.seed(11)
num <- function(x) if (length(x) == 0) "[]" else paste0("[", paste(format(x, digits = 17, trim = TRUE), collapse = ", "), "]")
case <- function(name, values, things, strata, sizes, probabilities, population, mean, se) sprintf(
  '  {"name": "%s", "values": %s, "things": %s, "strata": %s, "sizes": %s, "probabilities": %s, "population": %d, "mean": %s, "standard_error": %s}',
  name, num(values), num(things), num(strata), num(sizes), num(probabilities), population,
  format(mean, digits = 17), format(se, digits = 17))
out <- c()
# A simple random sample of 40 of 90 items.
y <- round(rgamma(40, 2), 3)
d <- svydesign(id = ~1, fpc = ~fpc, data = data.frame(y = y, fpc = 90))
m <- svymean(~y, d)
out <- c(out, case("simple", y, 0:39, rep(0, 40), 90, c(), 90, coef(m), SE(m)))
# Two strata, one of them a census.
y <- round(c(rgamma(30, 5), rgamma(25, 2)), 3)
s <- rep(c(0, 1), c(30, 25))
d <- svydesign(id = ~1, strata = ~s, fpc = ~fpc, data = data.frame(y = y, s = s, fpc = c(30, 200)[s + 1]))
m <- svymean(~y, d)
out <- c(out, case("strata", y, 0:54, s, c(30, 200), c(), 230, coef(m), SE(m)))
# 22 of 60 clusters of unequal sizes, as a ratio of totals.
sizes <- 1 + rpois(22, 2)
things <- rep(0:21, sizes)
y <- round(rnorm(length(things)) + rep(rnorm(22), sizes), 3)
totals <- data.frame(y = tapply(y, things, sum), m = as.numeric(table(things)), fpc = 60)
d <- svydesign(id = ~1, fpc = ~fpc, data = totals)
m <- svyratio(~y, ~m, d)
out <- c(out, case("clusters", y, things, rep(0, 22), 60, c(), 60, coef(m), SE(m)))
# The mean of a domain: every third item has no value (NA is written as 1e9).
y <- round(rgamma(60, 3), 3)
g <- rep(c(1, 1, 0), 20)
d <- svydesign(id = ~1, fpc = ~fpc, data = data.frame(y = y, g = g, fpc = 150))
m <- svymean(~y, subset(d, g == 1))
out <- c(out, case("domain", ifelse(g == 1, y, 1e9), 0:59, rep(0, 60), 150, c(), 150, coef(m), SE(m)))
bounds <- c()
for (one in list(c(0, 30), c(1, 60), c(57, 60), c(59, 60), c(60, 60), c(12, 40), c(394, 400))) {
  b <- binom.test(one[1], one[2])$conf.int
  bounds <- c(bounds, sprintf('  {"yes": %d, "of": %d, "lo": %s, "hi": %s}', one[1], one[2],
    format(b[1], digits = 17), format(b[2], digits = 17)))
}
cat('{"cases": [\n', paste(out, collapse = ",\n"), '\n], "shares": [\n', paste(bounds, collapse = ",\n"), "\n]}\n", sep = "")
