import AccessPolicy
import FHIR
import FHIRHTTP
import FHIRSearch
import Foundation
import RecordStorage
import Storage

/// The contents of an export, by its request and its grant.
package struct ExportPlan: Sendable {
    private let grant: AccessGrant
    private let request: ExportRequest
    private let policy: Policy
    /// The time of the request, at which the grant is evaluated: an access that expires later does not end the export.
    private let asked: Date
    private let now: Date

    package init(_ grant: AccessGrant, _ request: ExportRequest, policy: Policy, at asked: Date, now: Date) {
        (self.grant, self.request, self.policy, self.asked, self.now) = (grant, request, policy, asked, now)
    }

    /// The interactions that a single part of the grant must permit for an exported resource.
    private static let interactions: [RecordInteraction] = [.read, .searchType]

    /// Whether the grant may read and search a type.
    package func isPermitted(_ type: String) -> Bool {
        policy.decide(grant, allOf: Self.interactions, type: type, at: asked).isPermitted
    }

    /// The types, ordered by name.
    package var types: [String] { RecordType.all.filter { request.types?.contains($0) ?? true }.filter(isPermitted) }

    /// Returns the selection of each stored type.
    package func selections(_ store: RecordStore, in transaction: any SQLTransaction) throws -> [ExportSelection] {
        let patients = try patients(store, in: transaction)
        let filter = policy.filter(grant, allOf: Self.interactions, at: asked)
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
            if let index = selections.firstIndex(where: { $0.type == provenance }) {
                selections[index].associated = condition
            } else {
                var added = selection(provenance)
                added.since = nil
                added.searches = [.never]
                added.associated = condition
                selections.append(added)
            }
        }
        return selections.sorted { $0.type < $1.type }
    }

    /// Returns the patients whose resources are exported.
    ///
    /// - Throws: ``RecordsFailure`` where the Group or a named patient does not exist, or is hidden.
    package func patients(_ store: RecordStore, in transaction: any SQLTransaction) throws -> ExportedPatients {
        switch request.level {
        case .system: return .everything
        case .patients where request.patients.isEmpty: return .anyPatient
        case .patients:
            for id in request.patients {
                guard try seen(Patient.resourceType, id: id, from: store, in: transaction) != nil else {
                    throw RecordsFailure.patientUnknown
                }
            }
            return .among(request.patients)
        case .group(let id):
            let membership = GroupMembership(at: now, ownBases: request.ownBases) {
                try seen(GroupMembership.type, id: $0, from: store, in: transaction)
            }
            guard let members = try membership.patients(ofGroup: id) else { throw RecordsFailure.groupUnknown }
            guard request.patients.isSubset(of: members) else { throw RecordsFailure.patientUnknown }
            return .among(request.patients.isEmpty ? members : request.patients)
        }
    }

    private func seen(
        _ type: String, id: String, from store: RecordStore, in transaction: any SQLTransaction
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
