-- The cash flow of each gaming day, as the day report has it; amounts in cents.
SELECT
    venue,
    day,
    currency,
    kind,
    COUNT(*) AS number_of,
    SUM(amount) AS amount
FROM payments
GROUP BY venue, day, currency, kind
ORDER BY venue, day, currency, kind
