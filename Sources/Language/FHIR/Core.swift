// Code that reads FHIR also needs JSON, dates and numbers; it imports only one module.
@_exported import Core
