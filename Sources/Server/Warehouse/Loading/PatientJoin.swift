import Foundation
import RecordStorage
import Storage

/// Gives a participant the number of the same person's record at the site, so that answers and medical record are one
/// patient in i2b2, and takes it back.
///
/// The rows of the site are never changed. The participant's own number stays reserved: a row of `patient_mapping` maps
/// their name to it under the source ``ownSource``, and its presence marks a joined participant.
package struct PatientJoin: Sendable {
    package init() {}

    /// `patient_ide_source` of the row that keeps the own number of a joined participant.
    static let ownSource = "TRIBUTARY-OWN"

    /// A person's record at the site.
    package struct SiteRecord: Sendable, Hashable {
        /// The name of the record (`patient_ide`).
        package let name: String
        /// The site's system (`patient_ide_source`).
        package let source: String

        package init(name: String, source: String) { (self.name, self.source) = (name, source) }
    }

    /// The result for one participant.
    package enum Outcome: Sendable, Hashable {
        /// The participant has the number of the site's record now, or no longer.
        case changed
        /// The state was already as requested.
        case unchanged
        /// The participant has no number yet: nothing of theirs is loaded.
        case notLoaded
    }

    /// Joins a participant with a record of the site, in the caller's transaction.
    ///
    /// - Parameter at: the time of the join, for the new row of `patient_mapping`.
    /// - Throws: ``WarehouseError`` `site-patient-unknown`, `site-patient-ambiguous`, `site-patient-taken`,
    ///   `join-other-record`.
    package func join(
        _ participant: String, with record: SiteRecord, at date: Date, in transaction: any SQLTransaction
    ) throws -> Outcome {
        // As i2b2's own loader does.
        try Numbering.lock("patient_mapping", in: transaction)
        guard let (name, number) = try Self.present(participant, in: transaction) else { return .notLoaded }
        return try JoinedRows.ofRecords.join(name, number: number, with: record, at: date, in: transaction)
    }

    /// Gives a participant their own number back, in the caller's transaction.
    ///
    /// The row of the patient is created without data; ``restore(_:context:in:)`` fills it.
    ///
    /// - Parameter source: only if the participant is joined with a record of this system; nil for any.
    package func end(
        _ participant: String, source: String? = nil, at date: Date, in transaction: any SQLTransaction
    ) throws -> Outcome {
        guard let (name, number) = try Self.present(participant, in: transaction) else { return .notLoaded }
        return try JoinedRows.ofRecords.end(name, number: number, source: source, at: date, in: transaction)
    }

    /// Writes the patient's row again from the Patient in the records.
    ///
    /// - Parameter entry: the entry of the present version of the Patient.
    package func restore(
        _ entry: WarehouseEntry, context: LoadContext, in transaction: any SQLTransaction
    ) throws {
        // A Patient has no facts, so the number of its record is not needed.
        try WarehouseLoader().upload(context, in: transaction) { upload in _ = try upload.load(entry, of: 0) }
    }

    /// Returns the ids of all joined participants, in their order.
    package func participants(in transaction: any SQLTransaction) throws -> [String] {
        try transaction.query(
            """
            SELECT w.participant FROM warehouse_patient w WHERE w.patient_ide \(transaction.dialect.bytewise) IN
                (SELECT o.patient_ide FROM patient_mapping o WHERE o.patient_ide_source = ?)
            ORDER BY w.participant \(transaction.dialect.bytewise)
            """, [SQLValue(Self.ownSource)]
        ).map { try $0.text("participant") }
    }

    /// Gives all joined participants their own numbers back.
    func endAll(at date: Date, in transaction: any SQLTransaction) throws {
        for participant in try participants(in: transaction) { _ = try end(participant, at: date, in: transaction) }
    }

    /// The condition that a row belongs to no joined participant, whose number has rows of the site.
    static func isNotJoined(_ dialect: SQLDialect) -> String {
        """
        patient_num NOT IN (SELECT j.patient_num FROM warehouse_patient j JOIN patient_mapping o
            ON o.patient_ide = j.patient_ide \(dialect.bytewise) AND o.patient_ide_source = '\(ownSource)')
        """
    }

    /// Returns a participant's name and present number in i2b2; nil if they have none.
    static func present(
        _ participant: String, in transaction: any SQLTransaction
    ) throws -> (name: String, number: Int64)? {
        let row = try transaction.first(
            "SELECT patient_ide, patient_num FROM warehouse_patient WHERE participant = ?", [SQLValue(participant)])
        return try row.map { (try $0.text("patient_ide"), try $0.integer("patient_num")) }
    }
}

extension WarehouseError {
    static let sitePatientUnknown = WarehouseError(
        code: "site-patient-unknown",
        message: "patient_mapping has no patient for the record of a link; compare the names of links and records.")
    static let sitePatientAmbiguous = WarehouseError(
        code: "site-patient-ambiguous", message: "patient_mapping has several patients for the record of a link.")
    static let sitePatientTaken = WarehouseError(
        code: "site-patient-taken", message: "Another participant is joined with the same patient of the site.")
    static let joinedWithOtherRecord = WarehouseError(
        code: "join-other-record",
        message: "The participant is joined with another record; end that join with --undo first.")
}
