import Foundation
import Storage

/// A participant's present consent, for patient queries. The consumer writes it after every change.
package struct PatientConsent: Sendable, Hashable {
    /// Whether the consent is in force. The raw value is stored in the column.
    package enum Status: String, Sendable, CaseIterable {
        case consented, withdrawn
    }

    static let shares = "Y"
    static let sharesNot = "N"

    /// nil if there is neither a contract nor a withdrawal.
    package let status: Status?
    /// The version of the consent that was signed last.
    package let version: String?
    /// Whether the consent in force allows other researchers to use the data; nil without a consent, or if it was not
    /// asked.
    package let sharing: Bool?

    package init(status: Status?, version: String?, sharing: Bool?) {
        (self.status, self.version, self.sharing) = (status, version, sharing)
    }
}

extension WarehouseLoader {
    /// Writes the state of a participant's consent.
    package func write(_ consent: PatientConsent, of participant: String, at: Date, in transaction: any SQLTransaction)
        throws
    {
        guard let status = consent.status else { return }
        let context = LoadContext(subject: participant, submissionID: "", receivedAt: at, loadedAt: at)
            .applying(try AppliedDeidentification(in: transaction))
        let patient = try Numbering(transaction: transaction, context: context).patient()
        try transaction.execute(
            """
            INSERT INTO consent_dimension (patient_num, standing_cd, template_version, sharing_cd, update_date,
                import_date, sourcesystem_cd) VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (patient_num) DO UPDATE SET standing_cd = excluded.standing_cd,
                template_version = excluded.template_version, sharing_cd = excluded.sharing_cd,
                update_date = excluded.update_date, import_date = excluded.import_date
            """,
            [
                SQLValue(patient), SQLValue(status.rawValue),
                SQLValue(consent.version.map { String($0.unicodeScalars.prefix(255)) }),
                SQLValue(consent.sharing.map { $0 ? PatientConsent.shares : PatientConsent.sharesNot }),
                WarehouseTime.value(context.receipt), WarehouseTime.value(context.load), SQLValue(Self.source),
            ])
    }

    /// Adds concepts for the versions of the study's published consent.
    package func ensureConsentOntology(versions: [String], at: Date, in transaction: any SQLTransaction) throws {
        let writer = OntologyWriter(transaction: transaction, at: at)
        try writer.ensureFoundation()
        for concept in DimensionConcepts.concepts(ofVersions: versions) { try writer.ensure(concept) }
    }
}
