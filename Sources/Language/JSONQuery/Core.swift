// `JSON` and `JSONNumber` are what expressions work on: who imports JSONQuery has them.
@_exported import Core
