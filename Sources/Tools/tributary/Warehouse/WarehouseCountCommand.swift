import AccessPolicy
import Admission
import ArgumentParser
import Audit
import DeviceCommands
import FHIR
import Foundation
import Storage
import StudyFiles
import StudyOperations
import Warehouse

extension WarehouseCommand {
    struct Count: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "count", abstract: "Count the patients that paths select, and their facts.",
            discussion: """
                The value is an operator and its operand: LT, LE, EQ, NE, GE, GT n; BETWEEN a b; IS text; LIKE text.
                --from is inclusive, --to exclusive, both UTC; they apply to each path without dates of its own.
                Participants who have withdrawn are excluded without --with-withdrawn; --shared counts only those whose
                consent in force permits sharing.

                --and adds a condition that a patient must also meet: a path, with value=, from= and to= after
                semicolons. With --same-encounter one encounter must meet all conditions: a response, or the measurements
                of one day from one kind of source. The counted facts are those of --path.

                --by divides the patients by sex, by ten years of age (at the last load), by month of the facts, or by
                several of them. A patient counts in each month with a fact. --patients writes the ids of the counted
                participants to a file; --among counts only participants that a file lists.

                Examples:
                  tributary warehouse count study --path '\\Tributary\\Health\\' --value 'GE 100' --from 2026-01-01
                  tributary warehouse count study --path '\\Tributary\\Health\\' --and \
                '\\Tributary\\Demographics\\Sex\\Female\\' --by age,month
                  tributary warehouse count study --path '\\Tributary\\Surveys\\' --and \
                '\\Tributary\\Health\\; value=GE 100; from=2026-01-01' --patients cohort.txt
                """)
        @OptionGroup var location: RecordsLocation
        @Flag(help: "Print one JSON value.") var json = false
        @Option(help: "The concept's path.") var path: String
        @Option(help: "A constraint on the value.") var value: String?
        @Option(help: "From this date or time (UTC), inclusive.") var from: String?
        @Option(help: "To this date or time (UTC), exclusive.") var to: String?
        @Option(
            help: ArgumentHelp(
                "A further condition: PATH[; value=...][; from=...][; to=...]. Repeatable.", valueName: "condition"))
        var and: [String] = []
        @Flag(help: "One encounter must meet all conditions.") var sameEncounter = false
        @Option(help: "Divide the patients by sex, age, month, or several, with commas.") var by: CountGroupingList?
        @Option(help: "Write the ids of the counted participants to this file.") var patients: String?
        @Option(help: "Count only participants whose ids this file lists, one per line.") var among: String?
        @Flag(help: "Replace an existing file.") var force = false
        @OptionGroup var selection: CountedOptions

        func validate() throws {
            guard and.count < CohortQuery.maximumTerms else {
                throw ValidationError("A count has up to \(CohortQuery.maximumTerms) conditions.")
            }
        }

        func run() async throws {
            let (begin, end) = (try CommandInput.instant(from, "--from"), try CommandInput.instant(to, "--to"))
            let first = CountTerm(path: path, value: try Self.constraint(value, "--value"), from: begin, to: end)
            let others = try and.map { try Self.term($0, from: begin, to: end) }
            let listed = try among.map { try ParticipantList.read($0) }
            if let patients { try OutputFile.check(patients, replaces: force) }
            let query = CohortQuery(
                [first] + others, isSameEncounter: sameEncounter, among: selection.participants.patients, listed: listed
            )
            let groupings = by?.groupings ?? []
            let isListing = patients != nil
            let result = try await location.withRecords { database in
                let result: Counted
                do {
                    result = try await Self.count(query, by: groupings, lists: isListing, in: database)
                } catch is UnknownPath {
                    // The form of the path may have been published since the server was started.
                    try await StudyOntology(StudyFolder(path: location.dir)).write(to: database, now: Date())
                    result = try await Self.count(query, by: groupings, lists: isListing, in: database)
                }
                // The file names participants, so it is recorded in the audit before it is written.
                if let ids = result.participants {
                    try await AuditLog(database: database, clock: { Date() })
                        .recordExport(of: Patient.resourceType, showing: Set(ids))
                }
                return result
            }
            if let patients, let ids = result.participants {
                try ParticipantList.write(ids, to: patients, replaces: force)
            }
            print(result, groupings)
        }

        /// The count, its groups, and the counted participants if they are asked for; all from one transaction.
        private struct Counted: Sendable {
            let count: WarehouseQuery.Count
            let groups: [CohortQuery.Group]
            let participants: [String]?
        }

        private static func count(
            _ query: CohortQuery, by groupings: [CountGrouping], lists: Bool, in database: any SQLDatabase
        ) async throws -> Counted {
            try await database.read { transaction in
                var ids: [String]?
                if lists {
                    var found: [String] = []
                    try query.eachParticipant(in: transaction) { found.append($0) }
                    ids = found
                }
                return Counted(
                    count: try query.count(in: transaction),
                    groups: groupings.isEmpty ? [] : try query.groups(by: groupings, in: transaction),
                    participants: ids)
            }
        }

        private static func term(_ text: String, from: Date?, to: Date?) throws -> CountTerm {
            let parsed: CountTermText
            do { parsed = try CountTermText(parsing: text) } catch {
                throw ValidationError("--and: \(error)")
            }
            let hasDates = parsed.from != nil || parsed.to != nil
            return CountTerm(
                path: parsed.path, value: try constraint(parsed.value, "--and"),
                from: hasDates ? try CommandInput.instant(parsed.from, "--and: from=") : from,
                to: hasDates ? try CommandInput.instant(parsed.to, "--and: to=") : to)
        }

        private static func constraint(_ text: String?, _ option: String) throws -> ValueConstraint? {
            do { return try text.map { try ValueConstraint.parse($0) } } catch {
                throw ValidationError("\(option): \(error)")
            }
        }

        private func print(_ result: Counted, _ groupings: [CountGrouping]) {
            let count = result.count
            guard !json else {
                var object: [JSONObject.Member] = Self.members(count)
                if by != nil {
                    let groups = result.groups.map { group -> JSON in
                        let values = zip(groupings, group.values).map {
                            JSONObject.Member(key: $0.rawValue, value: .string($1))
                        }
                        return .object(JSONObject(keepingFirst: values + Self.members(group.count)))
                    }
                    object.append(JSONObject.Member(key: "groups", value: .array(groups)))
                }
                CommandOutput.result(.object(JSONObject(keepingFirst: object)))
                return
            }
            CommandOutput.result("\(count.patients) patients, \(count.facts) facts")
            guard by != nil else { return }
            CommandOutput.table(
                groupings.map(\.rawValue) + ["patients", "facts"],
                result.groups.map { $0.values + ["\($0.count.patients)", "\($0.count.facts)"] })
        }

        private static func members(_ count: WarehouseQuery.Count) -> [JSONObject.Member] {
            [
                JSONObject.Member(key: "patients", value: .number(JSONNumber(count.patients))),
                JSONObject.Member(key: "facts", value: .number(JSONNumber(count.facts))),
            ]
        }
    }
}

/// The value of `--by`: groupings with commas between them.
struct CountGroupingList: ExpressibleByArgument {
    let groupings: [CountGrouping]

    static var allValueStrings: [String] { CountGrouping.allCases.map(\.rawValue) }

    init?(argument: String) {
        var groupings: [CountGrouping] = []
        for name in argument.split(separator: ",", omittingEmptySubsequences: false) {
            guard let grouping = CountGrouping(rawValue: name.trimmingCharacters(in: .whitespaces)),
                !groupings.contains(grouping)
            else { return nil }
            groupings.append(grouping)
        }
        self.groupings = groupings
    }
}
