// Samples are of types: whoever imports `HealthData` sees the table and the units as well.
@_exported import HealthTypes
