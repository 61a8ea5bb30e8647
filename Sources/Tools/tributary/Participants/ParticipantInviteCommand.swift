import ArgumentParser
import DeviceCommands
import Enrolments
import FHIR
import Foundation
import InformedConsent
import Storage

extension ParticipantCommand {
    struct Invite: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "invite", abstract: "Make one-time codes for new participants.",
            discussion: """
                Required if study.json has "invitation": "required". Each code is shown only once; give it to a person
                directly or by letter. The app adds it to the sealed consent.

                Example:
                  tributary participant invite study --count 20 --days 30
                  tributary device consent --store phone --contract contract.json --answers a.json --name N --code CODE
                """)
        @OptionGroup var location: RecordsLocation
        @Option(help: "How many codes.") var count = 1
        @Option(help: "Days until they expire.") var days = 30
        @Flag(help: "Print one JSON value (it always does).") var json = false

        func run() async throws {
            guard (1...10_000).contains(count) else { throw ValidationError("--count must be from 1 to 10000.") }
            guard (1...366).contains(days) else { throw ValidationError("--days must be from 1 to 366.") }
            let (secrets, expiresAt) = try await location.withRecords { records in
                try await EnrolmentStore(database: records, clock: { Date() })
                    .issueInvitations(count: count, by: .account, lifetime: Double(days) * 86_400)
            }
            let expires = JSON.string(DateTime(expiresAt).text)
            CommandOutput.result(.array(secrets.map { ["code": .string($0), "expires": expires] }))
        }
    }
}
