import FHIR
import Foundation
import Storage

/// The members of a Group (<https://hl7.org/fhir/R4/group.html>): its individual Patients, unless they are inactive or
/// the period of their membership is over or has not begun. The members of a nested Group are included. A descriptive
/// Group (`actual` is false) has no members.
package struct GroupMembership {
    private let now: Date
    private let ownBases: [String]
    private let find: (String) throws -> Resource?
    /// Maximum number of Groups that are followed.
    private static let maximumGroups = 1000

    /// - Parameters:
    ///   - now: the time at which a membership must be valid.
    ///   - ownBases: the server's own base URLs, without a final slash. Patients of other servers are not members.
    ///   - find: returns the Group with an id; nil where there is none that the caller may see.
    package init(at now: Date, ownBases: [String] = [], find: @escaping (String) throws -> Resource?) {
        self.now = now
        self.ownBases = ownBases
        self.find = find
    }

    /// Returns the ids of the patients; nil where there is no such Group.
    package func patients(ofGroup id: String) throws -> Set<String>? {
        var patients: Set<String> = []
        var seen: Set<String> = [id]
        var waiting = [id]
        var isThere = false
        while let next = waiting.popLast() {
            guard let group = try find(next) else { continue }
            isThere = isThere || next == id
            for reference in members(of: group) {
                switch reference.type {
                case Patient.resourceType: patients.insert(reference.id)
                case Self.type where seen.count < Self.maximumGroups && seen.insert(reference.id).inserted:
                    waiting.append(reference.id)
                default: continue
                }
            }
        }
        return isThere ? patients : nil
    }

    package static let type = "Group"

    private func members(of group: Resource) -> [LiteralReference] {
        guard group.object["actual"]?.bool == true else { return [] }
        return (group.object["member"]?.array ?? []).compactMap { member in
            guard member["inactive"]?.bool != true, isNow(member["period"]) else { return nil }
            return (member["entity"]?["reference"]?.string).flatMap { LiteralReference($0) }
                .flatMap { $0.isLocal(to: ownBases) ? $0 : nil }
        }
    }

    private func isNow(_ period: JSON?) -> Bool {
        if let start = period?["start"]?.string.flatMap({ DateTime($0) }), start.start() > now { return false }
        if let end = period?["end"]?.string.flatMap({ DateTime($0) }), end.end() <= now { return false }
        return true
    }
}
