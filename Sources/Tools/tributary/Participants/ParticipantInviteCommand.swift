import ArgumentParser
import DeviceCommands
import FHIR
import Foundation
import InformedConsent
import Storage
import StudyFiles
import StudyOperations

extension ParticipantCommand {
    struct Invite: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "invite", abstract: "Make one-time codes for new participants, or revoke them.",
            discussion: """
                A code is needed to enrol a device where study.json has "enrolment": ["invitation"], and in the sealed
                consent where it has "invitation": "required". Where it has both, one code serves both. Each code is
                shown only once; give it to a person directly or by letter.

                --revoke ends codes that were not used. A device that has enrolled is ended by `enrolment revoke`.

                Example:
                  tributary participant invite study --count 20 --days 30
                  tributary device enrol --store phone --url http://127.0.0.1:8080 --antispam TOKEN --invitation CODE
                  tributary device consent --store phone --contract contract.json --answers a.json --name N --code CODE
                  tributary participant invite study --revoke CODE
                """)
        @OptionGroup var location: StoresLocation
        @Option(help: "How many codes.") var count = 1
        @Option(help: "Days until they expire.") var days = 30
        @Option(help: "End this code instead of making one; can be repeated.") var revoke: [String] = []
        @Flag(help: "End all codes that were not used instead of making one.") var revokeAll = false
        @Flag(help: "Print one JSON value (it always does).") var json = false

        func validate() throws {
            guard (1...10_000).contains(count) else { throw ValidationError("--count must be from 1 to 10000.") }
            guard (1...366).contains(days) else { throw ValidationError("--days must be from 1 to 366.") }
            guard revoke.isEmpty || !revokeAll else { throw ValidationError("Give either --revoke or --revoke-all.") }
        }

        func run() async throws {
            let study = try StudyFolder(path: location.dir).configuration()
            guard study.enrolment.contains(.invitation) else {
                return try await location.withRecords { records in
                    try await run(StudyInvitations(records: records, queue: nil))
                }
            }
            try await location.withStores { queue, records in
                try await run(StudyInvitations(records: records, queue: queue))
            }
        }

        private func run(_ invitations: StudyInvitations) async throws {
            if revokeAll || !revoke.isEmpty {
                let revoked = try await invitations.revoke(revokeAll ? nil : revoke, by: .account)
                CommandOutput.result(["revoked": .number(JSONNumber(revoked))])
                guard revoked > 0 || revokeAll else {
                    throw CommandError(
                        "invitation-unknown",
                        "No such code can be used any more: it is unknown or was used. `enrolment revoke` ends a device."
                    )
                }
                return
            }
            let (codes, expiresAt) = try await invitations.issue(
                count: count, by: .account, lifetime: Double(days) * 86_400)
            let expires = JSON.string(DateTime(expiresAt).text)
            CommandOutput.result(.array(codes.map { ["code": .string($0), "expires": expires] }))
        }
    }
}
