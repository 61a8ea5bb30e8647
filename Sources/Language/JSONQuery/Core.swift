// Exported because expressions are evaluated on `JSON` and `JSONNumber`: clients need only one import.
@_exported import Core
