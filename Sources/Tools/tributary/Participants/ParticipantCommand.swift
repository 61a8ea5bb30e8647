import ArgumentParser
import Consumer
import DeviceCommands
import FHIR
import Foundation
import Storage
import StudyFiles
import TributaryServer

struct ParticipantCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "participant",
        abstract: "The participants, and their requests: withdraw, delete, export.",
        discussion: "Example:\n  tributary participant list study\n  tributary participant withdraw study P",
        subcommands: [
            List.self, Show.self, Invite.self, Withdraw.self, Delete.self, Verify.self, Export.self, Resume.self,
        ])

    struct Resume: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "resume", abstract: "End a participant's suspension: they have not withdrawn.",
            discussion: "Submissions that were held are processed.\n\nExample:\n  tributary participant resume study P")
        @OptionGroup var location: StoresLocation
        @Argument(help: "The participant: the id of their Patient.") var id: String
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let released = try await location.withStores { queue, records in
                try await StaffDecision(records: records, queue: queue, actor: .account).resume(id)
            }
            if json {
                CommandOutput.result(["participant": .string(id), "released": .number(JSONNumber(released))])
            } else {
                CommandOutput.result("resumed \(id); \(released) submissions will be handled")
            }
        }
    }

    struct Withdraw: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "withdraw", abstract: "Withdraw a participant's consent at their request.",
            discussion: """
                For consent on a phone and on paper. Further data of the participant is refused, and they are excluded
                from counts. Their stored data is kept, with a Consent that records the withdrawal.

                Example:
                  tributary participant withdraw study P
                """)
        @OptionGroup var location: StoresLocation
        @Argument(help: "The participant: the id of their Patient.") var id: String
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let released = try await location.withStores { queue, records in
                try await StaffDecision(records: records, queue: queue, actor: .account).withdraw(id)
            }
            if json {
                CommandOutput.result(["participant": .string(id), "released": .number(JSONNumber(released))])
            } else {
                CommandOutput.result("withdrew \(id)")
            }
        }
    }
}
