-- The drawers that were counted and closed, with their differences; amounts in cents.
SELECT
    venue,
    day,
    currency,
    drawer,
    cashier,
    opened_at,
    expected,
    counted,
    counted - expected AS difference
FROM drawers
ORDER BY venue, day, position
