import Foundation
import Testing

/// The modules as they are built.
@Suite struct ModulePlanTests {
    let package = PackageFolder.ours
    let rules = ModuleRules()

    func sources() throws -> [SourceFile] {
        let files = try package.swiftFiles(below: "Sources")
        // A scan that finds nothing would find nothing wrong either.
        try #require(files.count > 100)
        return files
    }

    /// The modules of the plan, each of which is built.
    var built: [ModulePlan.Module] { rules.plan.modules.filter { package.isFolder($0.folder) } }

    @Test func everyModuleImportsOnlyWhatThePlanAllows() throws {
        let breaches = try sources().flatMap(rules.imports)
        #expect(breaches.isEmpty, "\(breaches.map(\.description).joined(separator: "\n"))")
    }

    @Test func noFileContainsUnwantedCode() throws {
        let breaches = try sources().flatMap(rules.writing)
        #expect(breaches.isEmpty, "\(breaches.map(\.description).joined(separator: "\n"))")
    }

    @Test func everyFolderIsAModuleOfItsLayer() {
        var folders: Set<String> = []
        for layer in package.folders(in: "Sources") {
            if layer == "Wire" {
                folders.insert("Sources/Wire")
            } else {
                for module in package.folders(in: "Sources/\(layer)") { folders.insert("Sources/\(layer)/\(module)") }
            }
        }
        #expect(folders == Set(rules.plan.modules.map(\.folder)))
        #expect(built.count > 15)
    }

    @Test func everyModuleIsInThePicture() throws {
        let picture = try String(
            contentsOf: package.root.appendingPathComponent("docs/modules.svg"), encoding: .utf8)
        let names = picture.matches(of: /text-anchor="middle">(\w+)</).map { String($0.1) }
        #expect(Set(names) == Set(rules.plan.modules.map(\.name)))
        #expect(names.count == rules.plan.modules.count)
    }

    @Test func everyBuiltModuleHasTests() {
        // Tests/Integration runs the commands; the system layer holds headers only.
        let exempt: Set<String> = ["tributary", "DeviceCommands"]
        for module in built where !module.folder.hasPrefix("Sources/System/") && !exempt.contains(module.name) {
            #expect(package.isFolder("Tests/\(module.name)Tests"), "\(module.name) has no tests")
        }
    }

    @Test func aModuleNeedsNothingOfALayerAbove() {
        for module in rules.plan.modules {
            for name in module.mayImport {
                guard let other = rules.plan.module(name) else {
                    Issue.record("\(module.name) may import \(name), which is not in the plan")
                    continue
                }
                #expect(other.layer <= module.layer, "\(module.name) may import \(name) of a layer above")
            }
        }
    }

    @Test func theManifestDeclaresNoDependencyThatThePlanForbids() throws {
        let manifest = try Manifest(
            String(contentsOf: package.root.appendingPathComponent("Package.swift"), encoding: .utf8))
        try #require(!manifest.targets.isEmpty)
        for target in manifest.targets {
            guard let module = rules.plan.module(target.name), !module.isOpen else { continue }
            let surplus = target.dependencies.intersection(rules.plan.names).subtracting(module.mayImport)
            #expect(surplus == [], "\(module.name) declares \(surplus.sorted())")
        }
    }

    @Test func everyImportOfOursIsDeclaredInTheManifest() throws {
        let manifest = try Manifest(
            String(contentsOf: package.root.appendingPathComponent("Package.swift"), encoding: .utf8))
        for target in manifest.targets {
            guard let module = rules.plan.module(target.name) else { continue }
            let imported = try package.swiftFiles(below: module.folder).flatMap {
                SwiftCode($0.text).imports.map(\.module)
            }
            let missing = Set(imported).intersection(rules.plan.names).subtracting(target.dependencies)
                .subtracting([target.name])
            #expect(missing == [], "\(target.name) imports \(missing.sorted()) without declaring it")
        }
    }

    @Test func onlyPortableModulesAreLibraryProducts() throws {
        let manifest = try Manifest(
            String(contentsOf: package.root.appendingPathComponent("Package.swift"), encoding: .utf8))
        for product in manifest.libraries where product.name != Self.measured {
            #expect(product.name == product.targets.map { "Tributary" + $0 }.joined())
            for target in product.targets { #expect(rules.plan.module(target)?.isPortable == true, "\(target)") }
        }
    }

    /// The product that the benchmarks alone take.
    private static let measured = "ServerStores"

    @Test func onlyServerModulesAreBenchmarked() throws {
        let manifest = try Manifest(
            String(contentsOf: package.root.appendingPathComponent("Package.swift"), encoding: .utf8))
        let product = try #require(manifest.libraries.first { $0.name == Self.measured })
        #expect(!product.targets.isEmpty)
        for target in product.targets {
            #expect(rules.plan.module(target)?.folder.hasPrefix("Sources/Server/") == true, "\(target)")
        }
    }
}

/// The targets and products in the text of the manifest.
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
    static func calls(of names: [String], in text: String) -> [String] {
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

    static func list(_ label: String, in body: String) -> String? {
        let parts = body.components(separatedBy: label)
        guard parts.count > 1 else { return "" }
        return parts[1].split(separator: "]", maxSplits: 1).first.map(String.init)
    }

    static func strings(in text: String) -> [String] {
        text.split(separator: "\"", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
            .map { String($0.element) }
    }
}
