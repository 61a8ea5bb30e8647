import AccessPolicy
import Core
import Foundation
import ResearchResults
import Storage

/// A page of the patients that a reader sees: those with changes since a cursor, and those who left.
struct PatientListPage: Sendable {
    /// A patient with changes.
    struct Patient: Sendable {
        let id: String
        /// nil for a reader without access to profiles.
        let name: String?
        let email: String?
        let groups: [String]
        var changed: [AccountData]
    }

    /// Maximum number of patients and of ids on a page.
    static let limit = 100

    var patients: [Patient] = []
    var left: [String] = []
    var cursor: PatientCursor

    var json: JSON {
        [
            "patients": .array(
                patients.map { patient in
                    [
                        "patient": .string(patient.id), "name": patient.name.map { .string($0) } ?? .null,
                        "email": patient.email.map { .string($0) } ?? .null,
                        "groups": .array(patient.groups.map { .string($0) }),
                        "changed": .array(patient.changed.map { .string($0.rawValue) }),
                    ]
                }),
            "left": .array(left.map { .string($0) }),
        ]
    }
}

/// Reads a page in one snapshot of the store.
struct PatientReading {
    let transaction: any SQLTransaction
    /// The groups that the reader sees now.
    let visible: Set<GroupAudience>
    /// The number of the last change in the snapshot.
    let newest: Int64

    /// Reads the page after a cursor.
    func page(after cursor: PatientCursor) throws -> PatientListPage {
        var page = PatientListPage(cursor: cursor)
        var isSeen: Set<String> = []
        // 1. Patients of groups that the reader does not see any more.
        for group in cursor.known.keys.sorted() where !visible.contains(group) {
            guard try readLost(group, into: &page, &isSeen) else { return page }
        }
        // 2. Changes in the groups that the reader sees, from the beginning where a group is new.
        for group in visible.sorted() {
            guard try readChanges(group, into: &page, &isSeen) else { return page }
        }
        page.cursor.isRestarted = false
        return page
    }

    private func room(_ page: PatientListPage) -> Int { PatientListPage.limit - page.patients.count - page.left.count }

    /// - Returns: false if the page is full.
    private func readLost(
        _ group: GroupAudience, into page: inout PatientListPage, _ isSeen: inout Set<String>
    ) throws -> Bool {
        let known = page.cursor.known[group] ?? 0
        while room(page) > 0 {
            let rows = try transaction.query(
                Self.lostSQL,
                [
                    SQLValue(group.group), SQLValue(group.audience.rawValue), SQLValue(page.cursor.lost[group] ?? ""),
                    SQLValue(known), SQLValue(known), SQLValue(room(page)),
                ])
            for row in rows {
                let id = try row.text("account_id")
                page.cursor.lost[group] = id
                if try !isVisible(id), isSeen.insert(id).inserted { page.left.append(id) }
            }
            if rows.isEmpty {
                page.cursor.forget(group)
                return true
            }
        }
        return false
    }

    private func readChanges(
        _ group: GroupAudience, into page: inout PatientListPage, _ isSeen: inout Set<String>
    ) throws -> Bool {
        if page.cursor.lost[group] != nil {
            // Some of the patients were reported as left before the group became visible again.
            page.cursor.forget(group)
            page.cursor.isRestarted = true
        }
        let start = page.cursor.known[group] ?? 0
        let complete = page.cursor.complete[group] ?? 0
        var known = start
        defer { page.cursor.known[group] = known }
        while room(page) > 0 {
            let rows = try transaction.query(
                Self.changesSQL,
                [
                    SQLValue(group.group), SQLValue(group.audience.rawValue), SQLValue(known), SQLValue(room(page)),
                ])
            for row in rows {
                let id = try row.text("account_id")
                let number = try row.integer("number")
                if try row.integer("is_open") != 0 {
                    // A reader who did not see the patient before does not know any of the data.
                    let before = try row.integer("entered") <= complete ? complete : 0
                    try add(id, changes: group.audience, after: before, to: &page)
                } else if try page.cursor.isRestarted || row.integer("entered") <= start, try !isVisible(id),
                    isSeen.insert(id).inserted
                {
                    page.left.append(id)
                }
                known = number
            }
            if rows.isEmpty {
                known = max(known, newest)
                page.cursor.complete[group] = known
                return true
            }
        }
        return false
    }

    /// Adds a patient to a page, or changes for another audience to a patient who is on it.
    private func add(
        _ id: String, changes audience: TeamAudience, after known: Int64, to page: inout PatientListPage
    ) throws {
        guard let row = try transaction.first(Person.personSQL, [SQLValue(id)]) else { return }
        let changed = try AccountData.allCases.filter {
            try $0.audience == audience && row.integer(MembershipStore.column(of: $0)) > known
        }
        if let index = page.patients.firstIndex(where: { $0.id == id }) {
            page.patients[index].changed += changed.filter { !page.patients[index].changed.contains($0) }
        } else {
            page.patients.append(try patient(Person(row), changed: changed))
        }
    }

    private func isVisible(_ account: String) throws -> Bool {
        try !MembershipStore.memberships(of: account, in: transaction).isDisjoint(with: visible)
    }

    private func patient(_ person: Person, changed: [AccountData]) throws -> PatientListPage.Patient {
        let memberships = try MembershipStore.memberships(of: person.id, in: transaction).intersection(visible)
        let isIdentified = memberships.contains { $0.audience == .profiles }
        return PatientListPage.Patient(
            id: person.id, name: isIdentified ? Self.name(of: person) : nil, email: isIdentified ? person.email : nil,
            groups: Set(memberships.map(\.group)).sorted(), changed: changed)
    }

    /// The name of a profile, or the e-mail address.
    static func name(of person: Person) -> String {
        let profile = JSON(reading: Array(person.profile.utf8))
        let names = ["givenName", "familyName"].compactMap { profile?[$0]?.string }
            .filter { !$0.allSatisfy(\.isWhitespace) }
        return names.isEmpty ? person.email : names.joined(separator: " ")
    }

    /// Changes of a group in their order. Parameters: group, audience, number, limit.
    static let changesSQL = """
        SELECT account_id, entered, number, is_open FROM patient_membership
        WHERE group_name = ? AND audience = ? AND number > ? ORDER BY number LIMIT ?
        """
    /// Patients of a group that a reader knew. Parameters: group, audience, account, number, number, limit.
    static let lostSQL = """
        SELECT account_id FROM patient_membership
        WHERE group_name = ? AND audience = ? AND account_id > ? AND entered <= ? AND (is_open = 1 OR number > ?)
        ORDER BY account_id LIMIT ?
        """
}
