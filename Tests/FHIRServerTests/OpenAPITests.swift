import FHIR
import Foundation
import Testing

/// The description of the API for tools that support OpenAPI.
@Suite struct OpenAPITests {
    private func document() async throws -> JSON {
        let fixture = try await RecordsFixture()
        defer { try? FileManager.default.removeItem(at: fixture.folder) }
        let (status, document) = try await fixture.get("/openapi.json", token: "nobody")
        #expect(status == 200)
        try await fixture.database.close()
        return document
    }

    @Test func openAPIAgreesWithTheCapabilityStatement() async throws {
        let document = try await document()
        #expect(document["openapi"]?.string == "3.1.0")
        let paths = try #require(document["paths"]?.object)
        let statement = CapabilityStatement.records(date: Date(), url: "u", published: [])
        for resource in statement.rest.flatMap(\.resource) {
            let type = try #require(resource.type)
            let codes = Set(resource.interaction.compactMap(\.code))
            #expect((paths["/\(type)/{id}"]?["get"] != nil) == codes.contains(.read))
            #expect((paths["/\(type)"]?["get"] != nil) == codes.contains(.searchType))
            #expect((paths["/\(type)"]?["post"] != nil) == codes.contains(.create))
            let parameters = paths["/\(type)"]?["get"]?["parameters"]?.array ?? []
            let names = Set(parameters.compactMap { $0["name"]?.string })
            #expect(names.isSuperset(of: codes.contains(.searchType) ? resource.searchParam.compactMap(\.name) : []))
            // The audit has parameters of its own only.
            let isGeneral = codes.contains(.searchType) && type != "AuditEvent"
            #expect(names.isSuperset(of: isGeneral ? ["_sort", "_include", "_total"] : []))
            let patch = paths["/\(type)/{id}"]?["patch"]?["requestBody"]?["content"]?.object
            #expect(patch?.members.map(\.key) == (codes.contains(.patch) ? statement.patchFormat : nil))
            #expect((paths["/\(type)"]?["patch"] != nil) == codes.contains(.patch))
        }
        let rest = try #require(statement.rest.first)
        #expect(rest.compartment.count == 5 && rest.searchParam.map(\.name).contains("_lastUpdated"))
        for type in ["Patient", "Practitioner", "RelatedPerson", "Encounter", "Device"] {
            #expect(paths["/\(type)/{id}/{member}"]?["get"] != nil)
        }
        #expect(paths["/"]?["get"] != nil && paths["/_search"]?["post"] != nil)
        // Each operation accepts POST.
        for path in paths.members where path.key.contains("$") && !path.key.contains("{job}") {
            #expect(path.value["post"] != nil, "\(path.key)")
        }
    }

    /// A Binary is read and written as a resource, or as its content.
    @Test func binariesHaveAnyMediaType() async throws {
        let paths = try #require(await document()["paths"])
        func types(_ body: JSON?) -> Set<String> { Set((body?["content"]?.object?.members ?? []).map(\.key)) }
        func read(_ path: String) -> Set<String> { types(paths[path]?["get"]?["responses"]?["200"]) }
        let (fhir, any): (Set, Set) = (["application/fhir+json", "application/fhir+xml"], ["*/*"])
        for path in ["/{id}", "/{id}/_history/{version}"] {
            #expect(read("/Binary" + path) == fhir.union(any))
            #expect(read("/Patient" + path) == fhir)
        }
        for (path, method) in [("", "post"), ("/{id}", "put")] {
            #expect(types(paths["/Binary" + path]?[method]?["requestBody"]) == fhir.union(any))
            #expect(types(paths["/Patient" + path]?[method]?["requestBody"]) == fhir)
        }
        #expect(types(paths["/Binary/{id}"]?["put"]?["responses"]?["200"]) == fhir)
    }

    /// Names of operations are unique, references have a target, and each variable of a path is a parameter.
    @Test func openAPIDocumentIsConsistent() async throws {
        let document = try await document()
        var names: Set<String> = []
        for path in document["paths"]?.object?.members ?? [] {
            let parts = Set(
                path.key.split(separator: "/").filter { $0.hasPrefix("{") }.map { $0.dropFirst().dropLast() })
            for operation in path.value.object?.members ?? [] {
                let name = operation.value["operationId"]?.string ?? ""
                #expect(names.insert(name).inserted, "\(name)")
                let given = (operation.value["parameters"]?.array ?? []).compactMap { $0["$ref"]?.string }
                #expect(Set(given.compactMap { $0.split(separator: "/").last }) == parts, "\(name)")
            }
        }
        #expect(names.count > 1000)
        func references(_ json: JSON) -> Set<String> {
            switch json {
            case .array(let items): items.reduce(into: []) { $0.formUnion(references($1)) }
            case .object(let object):
                object.members.reduce(into: []) { found, member in
                    if member.key == "$ref", let text = member.value.string { found.insert(text) }
                    found.formUnion(references(member.value))
                }
            default: []
            }
        }
        for reference in references(document) {
            let parts = reference.split(separator: "/").dropFirst().map(String.init)
            #expect(parts.reduce(Optional(document)) { $0?[$1] } != nil, "\(reference)")
        }
    }
}
