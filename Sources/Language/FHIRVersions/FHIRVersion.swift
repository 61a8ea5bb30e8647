/// A release of FHIR that Tributary reads.
public enum FHIRVersion: String, Sendable, Hashable, CaseIterable, Comparable {
    /// DSTU2, 1.0.2 (<https://hl7.org/fhir/DSTU2/>), with the drafts before it.
    case dstu2
    /// STU3, 3.0.2 (<https://hl7.org/fhir/STU3/>), with the drafts 1.1 to 1.8 before it.
    case stu3
    /// R4, 4.0.1 (<https://hl7.org/fhir/R4/>).
    case r4

    /// The number of the release, as in `fhirVersion`.
    public var number: String {
        switch self {
        case .dstu2: "1.0.2"
        case .stu3: "3.0.2"
        case .r4: "4.0.1"
        }
    }

    /// The two numbers in the URLs of the official cross-version extensions
    /// (<https://hl7.org/fhir/R4/versions.html#extensions>).
    public var extensionNumber: String {
        switch self {
        case .dstu2: "1.0"
        case .stu3: "3.0"
        case .r4: "4.0"
        }
    }

    /// Reads a label as apps and servers write it: `1.0.2`, `dstu2-1.0.2`, `DSTU2`, `dstu 3`, `stu3-3.0.0`, `0.5.0`,
    /// `1.4.0`, `R4`, `4.0.1`; nil if the label is not the name of a supported release.
    ///
    /// Numbers have precedence over names. The drafts 1.1 to 1.8 have the structure of STU3.
    public init?(label: String) {
        let text = label.lowercased()
        if let release = FHIRVersion.release(numberIn: text) {
            self = release
            return
        }
        let letters = text.filter { $0.isLetter || $0.isNumber }
        switch letters {
        case "dstu", "dstu1", "dstu2", "r1", "r2", "fhirdstu2": self = .dstu2
        case "stu3", "dstu3", "r3", "fhirstu3": self = .stu3
        case "r4", "stu4", "fhirr4", "4", "40": self = .r4
        case "2", "1": self = .dstu2
        case "3": self = .stu3
        default: return nil
        }
    }

    public static func < (left: FHIRVersion, right: FHIRVersion) -> Bool { left.order < right.order }

    /// The releases, ordered by their distance to this one. Of two with the same distance, the newer is first, because
    /// it has more in common with this one.
    public var nearest: [FHIRVersion] {
        Self.allCases.sorted { left, right in
            let (one, other) = (abs(left.order - order), abs(right.order - order))
            return one == other ? left > right : one < other
        }
    }

    private var order: Int {
        switch self {
        case .dstu2: 0
        case .stu3: 1
        case .r4: 2
        }
    }

    /// Returns the release of the first dotted number in the text.
    private static func release(numberIn text: String) -> FHIRVersion? {
        for word in text.split(whereSeparator: { !($0.isASCII && $0.isNumber) && $0 != "." }) {
            let parts = word.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
            guard parts.count >= 2, let major = parts[0], let minor = parts[1] else { continue }
            switch (major, minor) {
            case (0, _), (1, 0): return .dstu2
            case (1, _), (2, _), (3, 0), (3, 1): return .stu3
            case (3, _), (4, 0): return .r4
            default: return nil
            }
        }
        return nil
    }
}
