extension Extension {
    /// Creates an extension with a value.
    public init(url: String, value: OpenChoice) {
        self.init(url: url)
        self.value = value
    }

    /// Returns the extension with the reason why a value is missing
    /// (<https://hl7.org/fhir/R4/extension-data-absent-reason.html>).
    ///
    /// - Parameter reason: a code of <https://hl7.org/fhir/R4/valueset-data-absent-reason.html>.
    public static func dataAbsent(_ reason: String) -> Extension {
        Extension(url: "http://hl7.org/fhir/StructureDefinition/data-absent-reason", value: .code(reason))
    }
}
