import ArgumentParser
import Consumer
import FHIR
import Foundation
import Storage
import TributaryServer
import Trust

struct ParticipantCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "participant",
        abstract: "Who takes part, and what they ask for: withdraw, delete, export.",
        discussion: "Example:\n  tributary participant list study\n  tributary participant withdraw study P",
        subcommands: [
            List.self, Show.self, Invite.self, Withdraw.self, Delete.self, Verify.self, Export.self, Resume.self,
        ])

    struct Resume: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "resume", abstract: "End a participant's suspension: they have not withdrawn.",
            discussion: "What was held meanwhile is handled again.\n\nExample:\n  tributary participant resume study P")
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
            commandName: "withdraw", abstract: "Take a participant's consent back in their place, as they asked.",
            discussion: """
                For consent that was signed on a phone, and on paper. Nothing of theirs is taken any more, and they are
                left out of counts; what they gave stays, with a Consent that says so.

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
