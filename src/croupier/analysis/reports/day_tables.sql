-- The tables of each gaming day, as the day report has them; amounts in cents.
SELECT
    venue,
    day,
    currency,
    "table",
    SUM(staked) AS turnover,
    SUM(returned) AS returned,
    SUM(refunded) AS refunded,
    SUM(staked) - SUM(returned) - SUM(refunded) AS won
FROM rounds
GROUP BY venue, day, currency, "table"
ORDER BY venue, day, currency, "table"
