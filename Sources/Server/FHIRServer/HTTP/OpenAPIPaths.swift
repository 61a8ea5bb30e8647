import BulkExport
import FHIR
import FHIRPatch

/// Builds the paths of an OpenAPI document.
struct OpenAPIPaths {
    /// A possible response, other than a refusal.
    struct Answer {
        let status: String
        let description: String
        let content: JSON?

        /// Returns a response with a resource of one of some types.
        static func resource(_ status: String, _ types: String...) -> Answer {
            Answer(
                status: status, description: types.joined(separator: " or "), content: OpenAPIPaths.content(of: types))
        }

        /// Returns a response with a resource of a type, or with the content of a Binary.
        static func whole(_ type: String) -> Answer {
            Answer(status: "200", description: type, content: OpenAPIPaths.wholeContent(type))
        }

        /// Returns the response to a write, which depends on `Prefer`. OpenAPI cannot describe an optional body.
        static func written(_ status: String, _ type: String) -> Answer {
            Answer(
                status: status,
                description: "\(type); with Prefer: return=OperationOutcome an outcome, with return=minimal no body",
                content: OpenAPIPaths.content(of: [type, "OperationOutcome"]))
        }

        /// Returns a response without a body.
        static func done(_ status: String) -> Answer { Answer(status: status, description: "Done", content: nil) }
    }

    /// The input of an operation.
    struct Input {
        /// The parameters in its path, by their names in the document.
        var path: [String] = []
        /// The query parameters.
        var query: [String] = []
        var headers: [String] = []
        /// A required header.
        var neededHeader: String?
        /// The body, by media type.
        var body: JSON?
        /// The fields of the form.
        var form: [String]?
    }

    /// The media types of patches.
    let patches: [String]
    private(set) var object = JSONObject()
    private(set) var types: [String] = []

    init(patches: [String]) { self.patches = patches }

    static func content(_ types: String...) -> JSON { content(of: types) }

    private static func content(of types: [String]) -> JSON {
        let schemas = types.map { type -> JSON in ["$ref": .string("#/components/schemas/" + type)] }
        return [
            "application/fhir+json": ["schema": schemas.count == 1 ? schemas[0] : ["anyOf": .array(schemas)]],
            "application/fhir+xml": ["schema": [:]],
        ]
    }

    /// The bodies that are a resource of a type. A Binary may also be its own content, of any media type
    /// (<https://hl7.org/fhir/R4/binary.html#rest>).
    private static func wholeContent(_ type: String) -> JSON {
        let resource = content(of: [type])
        guard type == RawBinary.type, case .object(var content) = resource else { return resource }
        content["*/*"] = ["schema": [:]]
        return .object(content)
    }

    /// The body of a patch, by media type: a FHIRPath Patch as a resource, RFC 6902, RFC 7396.
    private var patch: JSON {
        var content = JSONObject()
        for format in patches {
            content[format] =
                switch format {
                case "application/fhir+json": ["schema": ["$ref": "#/components/schemas/Parameters"]]
                case "application/json-patch+json": ["schema": ["$ref": "#/components/schemas/JSONPatch"]]
                case "application/merge-patch+json": ["schema": ["type": "object"]]
                default: ["schema": [:]]
                }
        }
        return .object(content)
    }

    private static let history = ["_since", "_at", "_count", "_cursor"]
    private static let export = ["_outputFormat", "_since", "_type", "_elements", "_typeFilter"]
    /// The result parameters of a search.
    private static let results = [
        "_count", "_cursor", "_sort", "_include", "_revinclude", "_total", "_summary", "_elements",
    ]
    private static let parts = ["_summary", "_elements"]

    // MARK: - The whole API

    mutating func addSystem(_ rest: CapabilityStatement.Rest) {
        add(
            "/metadata", method: "get", name: "capabilities", answers: [.resource("200", "CapabilityStatement")],
            isOpen: true)
        let common = rest.searchParam.compactMap(\.name)
        for interaction in rest.interaction {
            switch interaction.code {
            case .transaction:
                add(
                    "/", method: "post", name: "transaction", Input(headers: ["Prefer"], body: Self.content("Bundle")),
                    answers: [.resource("200", "Bundle")])
            case .historySystem:
                add(
                    "/_history", method: "get", name: "history-system", Input(query: Self.history + ["_type"]),
                    answers: [.resource("200", "Bundle")])
            case .searchSystem: addSearch("/", "search-system", by: ["_type"] + common)
            default: continue
            }
        }
        let names = Dictionary(rest.resource.compactMap(\.type).map { ($0.lowercased(), $0) }) { first, _ in first }
        for compartment in rest.compartment {
            guard let type = compartment.split(separator: "/").last.flatMap({ names[String($0)] }) else { continue }
            addSearch("/\(type)/{id}/{member}", type + "-search-compartment", path: ["id", "member"], by: common)
        }
        guard rest.operation.contains(where: { $0.name == "export" }) else { return }
        addExport("/$export", "export", query: Self.export)
        let manifest = Answer(
            status: "200", description: "Manifest",
            content: ["application/json": ["schema": ["$ref": "#/components/schemas/ExportManifest"]]])
        let lines = Answer(
            status: "200", description: "One resource on each line",
            content: ["application/fhir+ndjson": ["schema": ["type": "string"]]])
        add(
            "/$export/{job}", method: "get", name: "export-status", Input(path: ["job"]),
            answers: [manifest, .done("202")])
        add(
            "/$export/{job}", method: "delete", name: "export-cancel", Input(path: ["job"]),
            answers: [.resource("202", "OperationOutcome")])
        add(
            "/$export/{job}/{file}", method: "get", name: "export-file", Input(path: ["job", "file"]), answers: [lines])
    }

    private mutating func addExport(_ address: String, _ name: String, path: [String] = [], query: [String]) {
        add(
            address, method: "get", name: name, Input(path: path, query: query, neededHeader: "Prefer"),
            answers: [.done("202")])
        add(
            address, method: "post", name: name + "-post",
            Input(path: path, neededHeader: "Prefer", body: Self.content("Parameters")),
            answers: [.done("202")])
    }

    /// Adds a search by its address and by a form.
    private mutating func addSearch(
        _ address: String, _ name: String, path: [String] = [], by search: [String], results: [String] = Self.results
    ) {
        let query = search + results
        let answers = [Answer.resource("200", "Bundle")]
        add(address, method: "get", name: name, Input(path: path, query: query, headers: ["Prefer"]), answers: answers)
        add(
            (address == "/" ? "" : address) + "/_search", method: "post", name: name + "-form",
            Input(path: path, form: query),
            answers: answers)
    }

    // MARK: - A type

    mutating func add(_ resource: CapabilityStatement.Rest.Resource) {
        guard let type = resource.type else { return }
        types.append(type)
        let (one, all, own) = ("/\(type)/{id}", "/" + type, ["id"])
        let search = resource.searchParam.compactMap(\.name)
        let body = Self.wholeContent(type)
        let (written, created) = (Answer.written("200", type), Answer.written("201", type))
        let deleted = [Answer.resource("200", "OperationOutcome"), .done("204")]
        let page = [Answer.resource("200", "Bundle")]
        func name(_ interaction: String) -> String { "\(type)-\(interaction)" }
        for interaction in resource.interaction.compactMap(\.code) {
            let operation = name(interaction.rawValue)
            switch interaction {
            case .read where type == RecordsService.auditEvent:
                add(one, method: "get", name: operation, Input(path: own), answers: [.resource("200", type)])
            case .read:
                add(
                    one, method: "get", name: operation,
                    Input(path: own, query: Self.parts, headers: ["If-None-Match"]),
                    answers: [.whole(type), .done("304")])
            case .vread:
                add(
                    one + "/_history/{version}", method: "get", name: operation,
                    Input(path: own + ["version"], query: Self.parts),
                    answers: [.whole(type)])
            case .historyInstance:
                add(
                    one + "/_history", method: "get", name: operation,
                    Input(path: own, query: ["_since", "_at", "_count", "_cursor"]),
                    answers: page)
            case .historyType:
                add(all + "/_history", method: "get", name: operation, Input(query: Self.history), answers: page)
            case .searchType where type == RecordsService.auditEvent:
                addSearch(all, operation, by: search, results: ["_count", "_cursor"])
            case .searchType: addSearch(all, operation, by: search)
            case .create:
                add(
                    all, method: "post", name: operation, Input(headers: ["Prefer", "If-None-Exist"], body: body),
                    answers: [written, created])
            case .update:
                let headers = ["Prefer", "If-Match", "If-None-Match"]
                add(
                    one, method: "put", name: operation, Input(path: own, headers: headers, body: body),
                    answers: [written, created])
                guard resource.conditionalUpdate == true else { continue }
                add(
                    all, method: "put", name: name("conditional-update"),
                    Input(query: search, headers: headers, body: body),
                    answers: [written, created])
            case .patch:
                let headers = ["Prefer", "If-Match"]
                add(
                    one, method: "patch", name: operation, Input(path: own, headers: headers, body: patch),
                    answers: [written])
                guard resource.conditionalUpdate == true else { continue }
                add(
                    all, method: "patch", name: name("conditional-patch"),
                    Input(query: search, headers: headers, body: patch),
                    answers: [written])
            case .delete:
                let headers = ["Prefer", "If-Match"]
                add(one, method: "delete", name: operation, Input(path: own, headers: headers), answers: deleted)
                guard resource.conditionalDelete != nil else { continue }
                add(
                    all, method: "delete", name: name("conditional-delete"), Input(query: search, headers: headers),
                    answers: deleted)
            default: continue
            }
        }
        for operation in resource.operation.compactMap(\.name) {
            switch operation {
            case "validate":
                add(
                    all + "/$validate", method: "post", name: name(operation),
                    Input(body: Self.content(type, "Parameters")),
                    answers: [.resource("200", "OperationOutcome")])
            case "everything":
                let query = ["_type", "_since", "start", "end", "_count", "_cursor"]
                add(
                    one + "/$everything", method: "get", name: name(operation), Input(path: own, query: query),
                    answers: page)
                add(
                    one + "/$everything", method: "post", name: name(operation) + "-post",
                    Input(path: own, body: Self.content("Parameters")), answers: page)
            case "export" where type == GroupMembership.type:
                addExport(one + "/$export", name(operation), path: own, query: Self.export + ["patient"])
            case "export": addExport(all + "/$export", name(operation), query: Self.export + ["patient"])
            default: continue
            }
        }
    }

    // MARK: - An operation

    private mutating func add(
        _ address: String, method: String, name: String, _ input: Input = Input(), answers: [Answer],
        isOpen: Bool = false
    ) {
        var operation = JSONObject()
        operation["operationId"] = .string(name)
        var parameters: [JSON] = input.path.map { ["$ref": .string("#/components/parameters/" + $0)] }
        var seen: Set<String> = []
        for name in input.query where seen.insert(name).inserted {
            parameters.append(["name": .string(name), "in": "query", "schema": ["type": "string"]])
        }
        for name in input.headers {
            parameters.append(["name": .string(name), "in": "header", "schema": ["type": "string"]])
        }
        if let name = input.neededHeader {
            parameters.append(["name": .string(name), "in": "header", "required": true, "schema": ["type": "string"]])
        }
        if !parameters.isEmpty { operation["parameters"] = .array(parameters) }
        if let body = input.body { operation["requestBody"] = ["required": true, "content": body] }
        if let form = input.form {
            var fields = JSONObject()
            for name in form { fields[name] = ["type": "string"] }
            operation["requestBody"] = [
                "content": [
                    "application/x-www-form-urlencoded": ["schema": ["type": "object", "properties": .object(fields)]]
                ]
            ]
        }
        var responses = JSONObject()
        for answer in answers {
            var response = JSONObject()
            response["description"] = .string(answer.description)
            response["content"] = answer.content
            responses[answer.status] = .object(response)
        }
        for refused in ["4XX", "5XX"] { responses[refused] = ["$ref": "#/components/responses/refusal"] }
        operation["responses"] = .object(responses)
        if isOpen { operation["security"] = [] }
        var item = object[address]?.object ?? JSONObject()
        item[method] = .object(operation)
        object[address] = .object(item)
    }
}
