// Samples have types: importing `HealthData` also imports the table of types and the units.
@_exported import HealthTypes
