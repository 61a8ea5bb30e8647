import Admission
import Foundation
import RecordStorage
import Storage
import StudyFiles
import Warehouse

/// A study's facts, made from its records and its published files.
package struct StudyWarehouse: Sendable {
    private let ontology: StudyOntology
    private let published: PublishedStudy
    private let rules: Deidentification
    let database: any SQLDatabase
    let clock: @Sendable () -> Date

    /// Number of records, or encounters, that one transaction compares.
    private static let slice = 500
    /// Number of patients whose concepts one transaction reads.
    private static let countedPatients = 50
    /// Number of concepts whose totals one transaction writes.
    private static let countedConcepts = 500

    /// - Throws: an error of the study's own types.
    package init(
        _ folder: StudyFolder, database: any SQLDatabase, clock: @escaping @Sendable () -> Date = { Date() }
    ) throws {
        ontology = try StudyOntology(folder)
        rules = try folder.configuration().deidentification
        published = PublishedStudy(
            templates: [], forms: folder.questionnaires(), valueSets: folder.valueSets(), health: ontology.health)
        self.database = database
        self.clock = clock
    }

    /// Returns the concepts of the published forms, and of the versions in the records: the facts of a response are
    /// made with the version that was answered.
    private func concepts() async throws -> StudyConcepts {
        let published = published.with(try await FormerForms.read(from: database))
        return StudyConcepts(forms: ontology.forms, health: ontology.health) { published.concepts(ofForm: $0) }
    }

    /// Makes all facts, participants' rows and consent rows again from the records' present versions. The next run
    /// continues an interrupted one.
    ///
    /// - Parameter progress: called with the number of resources so far.
    package func load(progress: (Int) -> Void = { _ in }) async throws -> WarehouseReload.Report {
        var reload = WarehouseReload(try await concepts(), rules: rules, isLeftOut: Self.isLeftOut)
        var report = WarehouseReload.Report()
        // 1. The ontology, made again; if an earlier run was interrupted, as that one left it.
        let (ontology, clock, begun, secret) = (ontology, clock, reload, Deidentification.newSecret())
        reload = try await database.write { transaction in
            var reload = begun
            _ = try reload.begin(secret: secret, in: transaction)
            try ontology.write(in: transaction, now: clock())
            return reload
        }
        // 2. The records.
        (reload, report) = try await loadRecords((reload, report), progress: progress)
        // 3. Facts without a record.
        var last: Int64? = 0
        while let start = last {
            let (reload, counted) = (reload, report)
            (last, report) = try await database.write { transaction in
                var report = counted
                let last = try reload.removeOrphans(
                    after: start, limit: Self.slice, into: &report, in: transaction)
                return (last, report)
            }
        }
        // 4. The state of each consent.
        let finished = reload
        try await database.write { transaction in
            for (subject, state) in try ConsentRegister().all(in: transaction) {
                try WarehouseLoader().write(state.patientConsent, of: subject, at: clock(), in: transaction)
            }
            try finished.finish(in: transaction)
        }
        try await database.analyzeGrownTables()
        // 5. The totals that clients show for concepts.
        var totals = try await database.read { try OntologyTotals(in: $0) }
        var hasMorePatients = true
        while hasMorePatients {
            let counted = totals
            (totals, hasMorePatients) = try await database.read { transaction in
                var totals = counted
                let hasMore = try totals.slice(of: Self.countedPatients, in: transaction)
                return (totals, hasMore)
            }
        }
        let whole = totals
        var path: String?
        repeat {
            let start = path
            path = try await database.write {
                try whole.page(after: start, limit: Self.countedConcepts, in: $0)
            }
        } while path != nil
        return report
    }

    /// Compares the facts with the records.
    ///
    /// - Parameter progress: called with the number of resources so far.
    package func verify(progress: (Int) -> Void = { _ in }) async throws -> WarehouseVerification.Report {
        var verification = WarehouseVerification(try await concepts(), isLeftOut: Self.isLeftOut)
        var report = WarehouseVerification.Report()
        var hasMore = true
        while hasMore {
            let (present, counted) = (verification, report)
            (verification, report, hasMore) = try await database.read { transaction in
                var (verification, report) = (present, counted)
                let hasMore = try verification.slice(of: Self.slice, into: &report, in: transaction)
                return (verification, report, hasMore)
            }
            progress(report.resources)
        }
        var last: Int64? = 0
        while let start = last {
            let (verification, counted) = (verification, report)
            (last, report) = try await database.read { transaction in
                var report = counted
                let last = try verification.orphans(
                    after: start, limit: Self.slice, into: &report, in: transaction)
                return (last, report)
            }
        }
        return report
    }

    /// Returns whether a record has no facts: a deleted participant's, one of a permission, or one of a participant
    /// without a recorded consent.
    @Sendable private static func isLeftOut(
        _ subject: String, _ provenance: RecordProvenance, in transaction: any SQLTransaction
    ) throws -> Bool {
        // The Consent of a permission is no consent to the study.
        guard !provenance.isOfPermission else { return true }
        do {
            try AdmissionError.refuseDeleted(subject, in: transaction)
        } catch is AdmissionError {
            return true
        }
        return try provenance.isOfInterface
            && ConsentRegister().state(of: subject, in: transaction).gateState == .none
    }
}
