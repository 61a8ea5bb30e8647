// Who reads FHIR reads JSON, dates and numbers: an app imports one module.
@_exported import Core
