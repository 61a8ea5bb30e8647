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
        abstract: "Decide for a participant whose Consent was not understood, or who withdrew on paper.",
        discussion: "Example:\n  tributary participant resume study P", subcommands: [Resume.self, Withdraw.self])

    struct Resume: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "End a participant's suspension: they have not withdrawn.",
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
            abstract: "Take a participant's consent back in their place, as they asked.",
            discussion: "Nothing of theirs is taken any more.\n\nExample:\n  tributary participant withdraw study P")
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
