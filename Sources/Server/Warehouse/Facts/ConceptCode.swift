import Core
import FHIR
import Foundation
import HealthTypes
import Storage

/// Codes of i2b2 concepts: `PREFIX:code`, up to 50 characters, permanently stable for one meaning.
enum ConceptCode {
    static let maximumLength = 50

    /// The prefixes of well-known code systems, as the i2b2 community uses them.
    static let prefixes: [String: String] = [
        "http://loinc.org": "LOINC", "http://snomed.info/sct": "SNOMED",
        "http://www.nlm.nih.gov/research/umls/rxnorm": "RXNORM", "http://hl7.org/fhir/sid/icd-10-cm": "ICD10CM",
        "http://hl7.org/fhir/sid/icd-10": "ICD10", "http://hl7.org/fhir/sid/icd-9-cm": "ICD9CM",
        "http://hl7.org/fhir/sid/ndc": "NDC", "http://hl7.org/fhir/sid/cvx": "CVX",
        "http://www.ama-assn.org/go/cpt": "CPT", "http://unitsofmeasure.org": "UCUM",
        HealthCodeSystem.healthKit: "HK", "urn:oid:2.16.840.1.113883.6.24": "MDC",
        "urn:iso:std:iso:11073:10101": "MDC", "http://www.whocc.no/atc": "ATC",
        HealthCodeSystem.component: "TRIBUTARY",
    ]

    /// Returns the concept code of a coding.
    static func code(system: String?, code: String) -> String {
        bounded(prefix(system) + ":" + code)
    }

    /// Whether the code means the same in every context. LOINC's answer codes do not: "several days" is an answer to
    /// many questions.
    static func isContextFree(system: String?, code: String) -> Bool {
        guard let system, let prefix = prefixes[system] else { return false }
        return !(prefix == "LOINC" && code.hasPrefix("LA"))
    }

    /// Returns the prefix of a system: that of the table, or the last word of its URL with a few digits of its hash.
    static func prefix(_ system: String?) -> String {
        guard let system, !system.isEmpty else { return "LOCAL" }
        if let known = prefixes[system] { return known }
        let words = system.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        let word = String((words.last ?? "CODE").uppercased().prefix(12))
        return word + "-" + hash(system, 6)
    }

    /// Returns the code itself, or a stable short form of a code that is too long.
    static func bounded(_ code: String) -> String {
        // Databases count code points, not grapheme clusters.
        guard code.unicodeScalars.count > maximumLength else { return code }
        let head = code.prefix { $0 != ":" }.prefix(20)
        return "\(head):H-" + hash(code, maximumLength - head.count - 3 - 10)
    }

    /// Returns lowercase hexadecimal digits of the text's SHA-256.
    static func hash(_ text: String, _ digits: Int) -> String {
        String(Hexadecimal.text(TextDigest.whole(text)).prefix(max(6, digits)))
    }
}
