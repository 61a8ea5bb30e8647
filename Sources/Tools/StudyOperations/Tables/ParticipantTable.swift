import Admission
import FHIR
import InformedConsent
import Storage
import Warehouse

/// Participants as a table: one row each, with the consent.
package enum ParticipantTable {
    /// The file's name.
    package static let file = "participants.csv"

    private static let described: [(name: String, words: String, type: String)] = [
        ("participant", "Id of the Patient", "text"),
        ("gender", "Administrative gender", "code"),
        ("birth_date", "Year of birth, or date, as the Patient has it", "date"),
        ("country", "Country of the first address", "text"),
        ("state", "State of the first address", "text"),
        ("postal_code", "Postal code of the first address, as the Patient has it", "text"),
        ("consent", "consented or withdrawn", "code"),
        ("consent_version", "Version of the consent that was signed last", "text"),
        ("sharing", "true if the consent in force permits other researchers, false if it does not", "text"),
    ]

    /// The names of the columns.
    package static let columns = described.map(\.name)

    /// The codebook's rows of the columns.
    package static let codebook = described.map {
        CodebookRow(file: file, column: $0.name, description: $0.words, type: $0.type)
    }

    /// Returns the row of a participant.
    ///
    /// - Parameters:
    ///   - patient: the Patient; nil if there is none in the records.
    ///   - consent: the state of the consent; nil if there is none.
    package static func row(of participant: String, patient: Resource?, consent: ConsentState?) -> [TableCell] {
        let object = patient?.object
        let address = object?["address"]?.array?.first
        let state = consent?.patientConsent
        return [
            .text(participant), TableCell(object?["gender"]?.string), TableCell(object?["birthDate"]?.string),
            TableCell(address?["country"]?.string), TableCell(address?["state"]?.string),
            TableCell(address?["postalCode"]?.string), TableCell(state?.status?.rawValue), TableCell(state?.version),
            TableCell(state?.sharing.map { $0 ? "true" : "false" }),
        ]
    }
}
