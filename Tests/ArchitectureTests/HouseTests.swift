import Foundation
import Testing

/// The house as it is built.
@Suite struct HouseTests {
    let package = PackageFolder.ours
    let rules = HouseRules()

    func sources() throws -> [SourceFile] {
        let files = try package.swiftFiles(below: "Sources")
        // A scan that finds nothing would find nothing wrong either.
        try #require(files.count > 100)
        return files
    }

    /// The rooms of the plan, each of which is built.
    var built: [House.Room] { rules.house.rooms.filter { package.isFolder($0.folder) } }

    @Test func everyModuleImportsOnlyWhatThePlanAllows() throws {
        let breaches = try sources().flatMap(rules.imports)
        #expect(breaches.isEmpty, "\(breaches.map(\.description).joined(separator: "\n"))")
    }

    @Test func noFileBreaksTheWaysOfWriting() throws {
        let breaches = try sources().flatMap(rules.writing)
        #expect(breaches.isEmpty, "\(breaches.map(\.description).joined(separator: "\n"))")
    }

    @Test func everyFolderIsARoomOnItsFloor() {
        var folders: Set<String> = []
        for floor in package.folders(in: "Sources") {
            if floor == "Wire" {
                folders.insert("Sources/Wire")
            } else {
                for room in package.folders(in: "Sources/\(floor)") { folders.insert("Sources/\(floor)/\(room)") }
            }
        }
        #expect(folders == Set(rules.house.rooms.map(\.folder)))
        #expect(built.count > 15)
    }

    @Test func everyBuiltModuleHasTests() {
        // The command line and its composition root share one folder; the cellar holds headers only.
        let exempt: Set<String> = ["tributary", "TributaryServer"]
        for room in built where !room.folder.hasPrefix("Sources/System/") && !exempt.contains(room.name) {
            #expect(package.isFolder("Tests/\(room.name)Tests"), "\(room.name) has no tests")
        }
        #expect(package.isFolder("Tests/TributaryTests"))
    }

    @Test func aRoomNeedsNothingOfAFloorAbove() {
        for room in rules.house.rooms {
            for name in room.mayImport {
                guard let other = rules.house.room(name) else {
                    Issue.record("\(room.name) may import \(name), which is not in the plan")
                    continue
                }
                #expect(other.floor <= room.floor, "\(room.name) may import \(name) of a floor above")
            }
        }
    }

    @Test func theManifestDeclaresNoDependencyThatThePlanForbids() throws {
        let manifest = try Manifest(
            String(contentsOf: package.root.appendingPathComponent("Package.swift"), encoding: .utf8))
        try #require(!manifest.targets.isEmpty)
        for target in manifest.targets {
            guard let room = rules.house.room(target.name), !room.isOpen else { continue }
            let surplus = target.dependencies.intersection(rules.house.names).subtracting(room.mayImport)
            #expect(surplus == [], "\(room.name) declares \(surplus.sorted())")
        }
    }

    @Test func everyImportOfOursIsDeclaredInTheManifest() throws {
        let manifest = try Manifest(
            String(contentsOf: package.root.appendingPathComponent("Package.swift"), encoding: .utf8))
        for target in manifest.targets {
            guard let room = rules.house.room(target.name) else { continue }
            let imported = try package.swiftFiles(below: room.folder).flatMap {
                SwiftCode($0.text).imports.map(\.module)
            }
            let missing = Set(imported).intersection(rules.house.names).subtracting(target.dependencies)
                .subtracting([target.name])
            #expect(missing == [], "\(target.name) imports \(missing.sorted()) without declaring it")
        }
    }

    @Test func onlyPortableModulesAreLibraryProducts() throws {
        let manifest = try Manifest(
            String(contentsOf: package.root.appendingPathComponent("Package.swift"), encoding: .utf8))
        for product in manifest.libraries {
            #expect(product.name == product.targets.map { "Tributary" + $0 }.joined())
            for target in product.targets { #expect(rules.house.room(target)?.isPortable == true, "\(target)") }
        }
    }
}

/// What the manifest's text says of targets and products.
struct Manifest {
    let targets: [(name: String, dependencies: Set<String>)]
    let libraries: [(name: String, targets: [String])]

    init(_ text: String) {
        targets = Manifest.calls(of: [".target(", ".executableTarget("], in: text).compactMap { body in
            let strings = Manifest.strings(in: body)
            guard let name = strings.first, let list = Manifest.list("dependencies:", in: body) else { return nil }
            return (name, Set(Manifest.strings(in: list)))
        }
        libraries = Manifest.calls(of: [".library("], in: text).compactMap { body in
            guard let name = Manifest.strings(in: body).first, let list = Manifest.list("targets:", in: body) else {
                return nil
            }
            return (name, Manifest.strings(in: list))
        }
    }

    /// The arguments of calls, up to the bracket that closes them.
    private static func calls(of names: [String], in text: String) -> [String] {
        names.flatMap { name in
            text.components(separatedBy: name).dropFirst().map { rest in
                var depth = 1
                return String(
                    rest.prefix { character in
                        if character == "(" { depth += 1 }
                        if character == ")" { depth -= 1 }
                        return depth > 0
                    })
            }
        }
    }

    private static func list(_ label: String, in body: String) -> String? {
        let parts = body.components(separatedBy: label)
        guard parts.count > 1 else { return "" }
        return parts[1].split(separator: "]", maxSplits: 1).first.map(String.init)
    }

    private static func strings(in text: String) -> [String] {
        text.split(separator: "\"", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
            .map { String($0.element) }
    }
}
