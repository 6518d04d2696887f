-- How often each kind of incident was raised on each gaming day.
SELECT
    venue,
    day,
    kind,
    COUNT(*) AS raised
FROM incidents
WHERE event = 'raised'
GROUP BY venue, day, kind
ORDER BY venue, day, kind
