import Core

/// The reason that a file of an export, other than the XML, gives nothing. The raw value is the stable code in the
/// import report.
public enum ExportFileProblem: String, CodedError, CaseIterable {
    case empty = "file-empty"
    /// It is longer than any file of its kind.
    case tooLarge = "file-too-large"

    /// No date of recording and no sampling rate stand where an electrocardiogram has them.
    case notAnElectrocardiogram = "electrocardiogram-not-recognised"
    case electrocardiogramWithoutDate = "electrocardiogram-date-missing"
    case electrocardiogramWithoutRate = "electrocardiogram-rate-missing"
    /// No unit, or none of voltage: the numbers could mean anything.
    case electrocardiogramWithoutUnit = "electrocardiogram-unit-missing"
    case electrocardiogramWithoutVoltages = "electrocardiogram-voltages-missing"
    /// More than every tenth line of the voltages is no number.
    case electrocardiogramUnreadable = "electrocardiogram-voltages-unreadable"
    /// Comma and point are both used as the decimal mark.
    case electrocardiogramAmbiguous = "electrocardiogram-decimal-mark-ambiguous"

    case notARoute = "route-not-recognised"
    /// The document declares a type, which no route does and which can be used to harm the reader.
    case routeWithDocumentType = "route-document-type"
    case routeWithoutPoints = "route-points-missing"

    case notJSON = "clinical-record-not-json"
    case notAResource = "clinical-record-not-a-resource"
    /// It is the person's master data: name, address, birth date. It is never read.
    case isPatient = "clinical-record-patient"

    /// The stable code.
    public var code: String { rawValue }

    /// A sentence that says what to do.
    public var message: String {
        switch self {
        case .empty: "The file is empty; export the health data again."
        case .tooLarge: "The file is longer than any file of its kind and is left out."
        case .notAnElectrocardiogram:
            "The file has no date of recording and no sampling rate and is no electrocardiogram of an Apple Health export."
        case .electrocardiogramWithoutDate:
            "The electrocardiogram does not say when it was recorded; export the health data again."
        case .electrocardiogramWithoutRate:
            "The electrocardiogram does not say its sampling rate, without which the voltages have no times."
        case .electrocardiogramWithoutUnit:
            "The electrocardiogram does not say the unit of its voltages, or it is none of volt."
        case .electrocardiogramWithoutVoltages: "The electrocardiogram ends before the first voltage."
        case .electrocardiogramUnreadable: "Too many lines of the electrocardiogram are no numbers."
        case .electrocardiogramAmbiguous:
            "The electrocardiogram uses both comma and point as the decimal mark, so its numbers are not certain."
        case .notARoute: "The file is no GPX; a workout route of an Apple Health export is."
        case .routeWithDocumentType: "The route declares a document type, which no workout route does; it is refused."
        case .routeWithoutPoints: "The route has no point with a place and a time."
        case .notJSON: "The clinical record is no JSON; export the health data again."
        case .notAResource: "The clinical record is no FHIR resource."
        case .isPatient: "The clinical record is the person's master data, which is never read."
        }
    }
}

/// A repair of a file, or an omission from it, so that the rest could be used. The raw value is the stable code.
public enum ExportFileNote: String, Sendable, CaseIterable {
    /// The classification is in words that are not known; the observation has a data-absent-reason in its stead.
    case classificationUnrecognised = "classification-unrecognised"
    /// The symptoms are in words that are not known; the observation says nothing of them.
    case symptomsUnrecognised = "symptoms-unrecognised"
    /// Some voltages are no numbers and are gaps.
    case voltagesUnreadable = "voltages-unreadable"
    /// Some points have no place or no time and are left out.
    case pointsDropped = "points-dropped"
    /// There were more points than an observation can hold; the rest is left out.
    case pointsBeyondLimit = "points-beyond-limit"
    /// The file ends inside of an element or a line.
    case cutOff = "cut-off"
    /// The sampling rate was told by its place: its unit is in words that are not known.
    case rateUnitUnrecognised = "rate-unit-unrecognised"
    /// Bytes that are no UTF-8, or control characters.
    case illegalCharacters = "illegal-characters"
    /// The resource does not say which release of FHIR it is written in.
    case releaseUnknown = "release-unknown"
}
