import AccountClient
import ArgumentParser
import FHIR
import Foundation
import ResearchResults

extension MeCommand {
    struct Profile: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "profile", abstract: "Show the profile, or replace it.",
            discussion: """
                A profile is replaced if its version is still the one that this folder has read; else the error is
                `profile-stale`: read it again. Members that you keep must be in the file.

                Example:
                  tributary me profile --store ann > profile.json
                  tributary me profile --store ann --set profile.json
                """)
        @OptionGroup var account: AccountOptions
        @Option(help: "The new profile (JSON), - for standard input.") var set: String?

        func run() async throws {
            let client = try account.client()
            guard let set else {
                CommandOutput.result(try await client.profile().profile.json)
                return
            }
            let profile = try AccountProfile(json: CommandInput.json(set))
            var known = try await client.storedProfile()
            if known == nil { known = try await client.profile() }
            guard let tag = known?.tag else { return }
            CommandOutput.result(try await client.save(StoredProfile(profile: profile, tag: tag)).profile.json)
        }
    }

    struct Photo: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "photo", abstract: "Show whether there is a photo, write it to a file, or replace it.",
            discussion: """
                Example:
                  tributary me photo --store ann --set ann.jpg
                  tributary me photo --store ann -o copy.jpg
                """)
        @OptionGroup var account: AccountOptions
        @Option(help: "The new photo, JPEG or PNG.") var set: String?
        @Option(name: [.customShort("o"), .long], help: "The file to write.") var output: String?

        func validate() throws {
            guard set == nil || output == nil else { throw ValidationError("Give --set or -o, not both.") }
        }

        func run() async throws {
            let client = try account.client()
            if let set {
                let bytes = try CommandInput.file(set)
                try await client.savePhoto(bytes)
                account.show(["bytes": .number(JSONNumber(bytes.count))], lines: ["The photo is saved."])
                return
            }
            guard let photo = try await client.photo() else {
                account.show(["photo": .null], lines: ["There is no photo."])
                return
            }
            if let output { try OutputFile.write(photo.bytes, to: output, replaces: true) }
            account.show(
                ["photo": .string(photo.mediaType), "bytes": .number(JSONNumber(photo.bytes.count))],
                lines: ["\(photo.mediaType), \(photo.bytes.count) bytes"])
        }
    }

    struct Sharing: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sharing", abstract: "Set whether roles may read the data of the account.",
            discussion: "Example:\n  tributary me sharing off --store ann")

        enum Setting: String, ExpressibleByArgument, CaseIterable {
            case on, off
        }

        @OptionGroup var account: AccountOptions
        @Argument(help: "on or off.") var setting: Setting

        func run() async throws {
            let holder = try await account.client().setSharing(setting == .on)
            account.show(
                ["sharing": .bool(holder.isSharing)], lines: ["sharing is \(holder.isSharing ? "on" : "off")"])
        }
    }

    struct Access: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "access", abstract: "Show who may read the data of the account, and who has read them.",
            discussion: "Example:\n  tributary me access --store ann --json")
        @OptionGroup var account: AccountOptions

        func run() async throws {
            let access = try await account.client().access()
            guard !account.json else { return CommandOutput.result(access.json) }
            CommandOutput.result("may read:")
            CommandOutput.table(
                ["account", "role", "until"], access.mayRead.map { [$0.account, $0.role, $0.until?.text ?? ""] })
            CommandOutput.result("has read:")
            CommandOutput.table(["at", "account", "what"], access.read.map { [$0.at.text, $0.account, $0.what] })
        }
    }
}
