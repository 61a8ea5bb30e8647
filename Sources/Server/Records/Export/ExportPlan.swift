import FHIR
import Foundation
import Storage
import Trust

/// What an export takes, by its request and by what the grant shows.
struct ExportPlan: Sendable {
    private let grant: AccessGrant
    private let request: ExportRequest
    private let policy: Policy
    /// When it was asked for, by which the grant counts: an access that comes to its end ends nothing that was begun.
    private let asked: Date
    private let now: Date

    init(_ grant: AccessGrant, _ request: ExportRequest, policy: Policy, at asked: Date, now: Date) {
        (self.grant, self.request, self.policy, self.asked, self.now) = (grant, request, policy, asked, now)
    }

    /// Whether the grant reads and searches a type.
    func isPermitted(_ type: String) -> Bool {
        [RecordInteraction.read, .searchType].allSatisfy {
            policy.decide(grant, $0, type: type, at: asked).isPermitted
        }
    }

    /// The types, in the order of their names.
    var types: [String] { RecordType.all.filter { request.types?.contains($0) ?? true }.filter(isPermitted) }

    /// What is taken of each type that the store has.
    func selections(_ store: RecordStore, in transaction: any SQLTransaction) throws -> [ExportSelection] {
        let patients = try patients(store, in: transaction)
        let filter = RecordFilter.and([
            policy.filter(grant, .read, at: asked), policy.filter(grant, .searchType, at: asked),
        ])
        let searches = try request.typeFilters.map {
            try TypeFilter($0, showing: filter, ownBases: request.ownBases, now: now, in: transaction)
        }
        let elements = try request.elements.map { try ElementSubset($0) }
        let held = Set(try store.types(in: transaction))
        func selection(_ type: String) -> ExportSelection {
            ExportSelection(
                type: type, patients: patients, filter: filter, since: request.since,
                searches: searches.filter { $0.type == type }.map(\.condition), elements: elements,
                base: request.base)
        }
        var selections = types.filter(held.contains).map(selection)
        let provenance = AssociatedProvenance.type
        if let associated = request.associated, held.contains(provenance), isPermitted(provenance) {
            let condition = try associated.condition(about: selections, showing: filter, in: transaction)
            if let place = selections.firstIndex(where: { $0.type == provenance }) {
                selections[place].associated = condition
            } else {
                var besides = selection(provenance)
                besides.since = nil
                besides.searches = [.never]
                besides.associated = condition
                selections.append(besides)
            }
        }
        return selections.sorted { $0.type < $1.type }
    }

    /// Whose resources are taken.
    ///
    /// - Throws: ``RecordsFailure`` where a Group or a patient that is named is not there, or hidden.
    func patients(_ store: RecordStore, in transaction: any SQLTransaction) throws -> ExportedPatients {
        switch request.level {
        case .system: return .everything
        case .patients where request.patients.isEmpty: return .anyPatient
        case .patients:
            for id in request.patients {
                guard try seen(Patient.resourceType, id, store, in: transaction) != nil else {
                    throw RecordsFailure.patientUnknown
                }
            }
            return .among(request.patients)
        case .group(let id):
            let membership = GroupMembership(at: now, ownBases: request.ownBases) {
                try seen(GroupMembership.type, $0, store, in: transaction)
            }
            guard let members = try membership.patients(ofGroup: id) else { throw RecordsFailure.groupUnknown }
            guard request.patients.isSubset(of: members) else { throw RecordsFailure.patientUnknown }
            return .among(request.patients.isEmpty ? members : request.patients)
        }
    }

    private func seen(
        _ type: String, _ id: String, _ store: RecordStore, in transaction: any SQLTransaction
    ) throws -> Resource? {
        guard Resource.isID(id),
            let stored = try store.facts(
                ofType: type, id: id, asking: grant.queries(of: type), in: transaction),
            policy.decide(grant, .read, record: stored.facts, at: asked).isPermitted,
            let record = try store.read(type: type, id: id, in: transaction), !record.isDeleted
        else { return nil }
        return try record.resource()
    }
}
