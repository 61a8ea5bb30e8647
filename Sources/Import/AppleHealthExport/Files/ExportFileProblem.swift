import Core

/// The reason why a file of an export, other than the XML, results in no resource. The raw value is the stable code in
/// the import report.
public enum ExportFileProblem: String, CodedError, CaseIterable {
    case empty = "file-empty"
    /// The file exceeds the maximum size of its kind.
    case tooLarge = "file-too-large"

    /// The file has neither a recording date nor a sampling rate, which electrocardiograms have.
    case notAnElectrocardiogram = "electrocardiogram-not-recognised"
    case electrocardiogramWithoutDate = "electrocardiogram-date-missing"
    case electrocardiogramWithoutRate = "electrocardiogram-rate-missing"
    /// There is no unit, or it is not a unit of voltage: the meaning of the numbers is unknown.
    case electrocardiogramWithoutUnit = "electrocardiogram-unit-missing"
    case electrocardiogramWithoutVoltages = "electrocardiogram-voltages-missing"
    /// More than a tenth of the voltage lines are not numbers.
    case electrocardiogramUnreadable = "electrocardiogram-voltages-unreadable"
    /// Comma and point are both used as the decimal mark.
    case electrocardiogramAmbiguous = "electrocardiogram-decimal-mark-ambiguous"

    case notARoute = "route-not-recognised"
    /// The document declares a document type. Routes do not, and it can be used to attack the reader.
    case routeWithDocumentType = "route-document-type"
    case routeWithoutPoints = "route-points-missing"

    case notJSON = "clinical-record-not-json"
    case notAResource = "clinical-record-not-a-resource"
    /// The file contains the person's master data: name, address, birth date. It is never read.
    case isPatient = "clinical-record-patient"

    /// The stable code.
    public var code: String { rawValue }

    /// A sentence with the remedy.
    public var message: String {
        switch self {
        case .empty: "The file is empty; export the health data again."
        case .tooLarge: "The file exceeds the maximum size of its kind and is omitted."
        case .notAnElectrocardiogram:
            "The file has no recording date and no sampling rate: it is not an electrocardiogram of an export."
        case .electrocardiogramWithoutDate:
            "The electrocardiogram has no recording date; export the health data again."
        case .electrocardiogramWithoutRate:
            "The electrocardiogram has no sampling rate, without which the voltages have no times."
        case .electrocardiogramWithoutUnit:
            "The electrocardiogram has no unit of its voltages, or the unit is not one of voltage."
        case .electrocardiogramWithoutVoltages: "The electrocardiogram ends before the first voltage."
        case .electrocardiogramUnreadable: "Too many lines of the electrocardiogram are not numbers."
        case .electrocardiogramAmbiguous:
            "The electrocardiogram uses both comma and point as the decimal mark, so its numbers are ambiguous."
        case .notARoute: "The file is not GPX, the format of workout routes in Apple Health exports."
        case .routeWithDocumentType: "The route declares a document type, which workout routes never do; it is refused."
        case .routeWithoutPoints: "The route has no point with a location and a time."
        case .notJSON: "The clinical record is not JSON; export the health data again."
        case .notAResource: "The clinical record is not a FHIR resource."
        case .isPatient: "The clinical record is the person's master data, which is never read."
        }
    }
}

/// A repair of a file, or an omission from it, so that the rest can be used. The raw value is the stable code.
public enum ExportFileNote: String, Sendable, CaseIterable {
    /// The text of the classification is unknown; the observation has a data-absent-reason instead.
    case classificationUnrecognised = "classification-unrecognised"
    /// The text of the symptoms is unknown; they are omitted from the observation.
    case symptomsUnrecognised = "symptoms-unrecognised"
    /// Some voltages are not numbers and are gaps.
    case voltagesUnreadable = "voltages-unreadable"
    /// Some points have no location or no time and are omitted.
    case pointsDropped = "points-dropped"
    /// There are more points than an observation can hold; the rest is omitted.
    case pointsBeyondLimit = "points-beyond-limit"
    /// The file ends inside an element or a line.
    case cutOff = "cut-off"
    /// The sampling rate was recognised by its position: the text of its unit is unknown.
    case rateUnitUnrecognised = "rate-unit-unrecognised"
    /// The file contains bytes that are not UTF-8, or control characters.
    case illegalCharacters = "illegal-characters"
    /// The resource does not identify its FHIR release.
    case releaseUnknown = "release-unknown"
}
