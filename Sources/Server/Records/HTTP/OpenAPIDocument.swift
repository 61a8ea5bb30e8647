import FHIR

/// What the API can do as an OpenAPI 3.1 document (<https://spec.openapis.org/oas/v3.1.0.html>), made of its
/// CapabilityStatement: neither says what the other does not.
struct OpenAPIDocument {
    let json: JSON

    /// - Parameter url: the address that the paths are below.
    init(_ statement: CapabilityStatement, url: String) {
        var paths = Paths()
        for rest in statement.rest {
            paths.addSystem(rest)
            for resource in rest.resource { paths.add(resource) }
        }
        json = [
            "openapi": "3.1.0",
            "info": [
                "title": .string(statement.implementation?.description ?? "Records of a study"), "version": "R4",
                "summary": "FHIR R4 (4.0.1), as its CapabilityStatement at /metadata says",
            ],
            "servers": [["url": .string(url)]], "security": [["bearer": []]], "paths": .object(paths.object),
            "components": Self.components(paths.types),
        ]
    }

    private static func components(_ types: [String]) -> JSON {
        var schemas = JSONObject()
        schemas["Resource"] = [
            "type": "object", "required": ["resourceType"],
            "properties": ["resourceType": ["type": "string"], "id": ["type": "string"], "meta": ["type": "object"]],
        ]
        for type in Set(types + ["Bundle", "OperationOutcome", "CapabilityStatement", "Parameters"]).sorted() {
            schemas[type] = [
                "allOf": [["$ref": "#/components/schemas/Resource"]],
                "properties": ["resourceType": ["const": .string(type)]],
            ]
        }
        return [
            "securitySchemes": ["bearer": ["type": "http", "scheme": "bearer"]], "schemas": .object(schemas),
            "parameters": [
                "id": [
                    "name": "id", "in": "path", "required": true,
                    "schema": ["type": "string", "pattern": "^[A-Za-z0-9.-]{1,64}$"],
                ],
                "version": [
                    "name": "version", "in": "path", "required": true,
                    "schema": ["type": "string", "pattern": "^[1-9][0-9]{0,17}$"],
                ],
                "job": [
                    "name": "job", "in": "path", "required": true, "schema": ["type": "string", "format": "uuid"],
                ],
                "file": [
                    "name": "file", "in": "path", "required": true,
                    "schema": ["type": "string", "pattern": "^[A-Za-z0-9.]{1,128}$"],
                ],
            ],
            "responses": [
                "refusal": [
                    "description": "Refused; the stable code stands in issue.details.text",
                    "content": Paths.content("OperationOutcome"),
                ]
            ],
        ]
    }
}

/// The paths while they are put together.
private struct Paths {
    private(set) var object = JSONObject()
    private(set) var types: [String] = []

    static func content(_ type: String) -> JSON {
        let schema: JSON = ["schema": ["$ref": .string("#/components/schemas/" + type)]]
        return ["application/fhir+json": schema, "application/fhir+xml": ["schema": [:]]]
    }

    // MARK: - The whole API

    mutating func addSystem(_ rest: CapabilityStatement.Rest) {
        add("/metadata", "get", "capabilities", answers: [("200", "CapabilityStatement")], isOpen: true)
        for interaction in rest.interaction {
            switch interaction.code {
            case .transaction: add("/", "post", "transaction", body: "Bundle", answers: [("200", "Bundle")])
            case .historySystem:
                add("/_history", "get", "history-system", query: Self.history + ["_type"], answers: [("200", "Bundle")])
            default: continue
            }
        }
        guard rest.operation.contains(where: { $0.name == "export" }) else { return }
        addExport("/$export", "export", query: Self.export)
        let job = ["job"]
        add(
            "/$export/{job}", "get", "export-status", path: job,
            answers: [("200", nil), ("202", nil)])
        add("/$export/{job}", "delete", "export-cancel", path: job, answers: [("202", "OperationOutcome")])
        add("/$export/{job}/{file}", "get", "export-file", path: job + ["file"], answers: [("200", nil)])
    }

    private mutating func addExport(_ address: String, _ name: String, path: [String] = [], query: [String]) {
        add(address, "get", name, path: path, query: query, prefers: true, answers: [("202", nil)])
        add(address, "post", name + "-post", path: path, prefers: true, body: "Parameters", answers: [("202", nil)])
    }

    // MARK: - A type

    mutating func add(_ resource: CapabilityStatement.Rest.Resource) {
        guard let type = resource.type else { return }
        types.append(type)
        let (one, own) = ("/\(type)/{id}", ["id"])
        let search = resource.searchParam.compactMap(\.name)
        func name(_ interaction: String) -> String { "\(type)-\(interaction)" }
        for interaction in resource.interaction.compactMap(\.code) {
            let operation = name(interaction.rawValue)
            switch interaction {
            case .read: add(one, "get", operation, path: own, answers: [("200", type), ("304", nil)])
            case .vread:
                add(one + "/_history/{version}", "get", operation, path: own + ["version"], answers: [("200", type)])
            case .historyInstance:
                add(
                    one + "/_history", "get", operation, path: own, query: ["_count", "_cursor"],
                    answers: [("200", "Bundle")])
            case .historyType:
                add("/\(type)/_history", "get", operation, query: Self.history, answers: [("200", "Bundle")])
            case .searchType:
                add("/\(type)", "get", operation, query: search + ["_count"], answers: [("200", "Bundle")])
                add(
                    "/\(type)/_search", "post", name("search-form"), form: search + ["_count"],
                    answers: [("200", "Bundle")])
            case .create:
                add("/\(type)", "post", operation, body: type, answers: [("200", type), ("201", type)])
            case .update:
                add(one, "put", operation, path: own, body: type, answers: [("200", type), ("201", type)])
                if resource.conditionalUpdate == true {
                    add(
                        "/\(type)", "put", name("conditional-update"), query: search, body: type,
                        answers: [("200", type), ("201", type)])
                }
            case .patch:
                add(one, "patch", operation, path: own, body: "Parameters", answers: [("200", type)])
            case .delete:
                add(one, "delete", operation, path: own, answers: [("200", "OperationOutcome"), ("204", nil)])
                if resource.conditionalDelete != nil {
                    add(
                        "/\(type)", "delete", name("conditional-delete"), query: search,
                        answers: [("200", "OperationOutcome"), ("204", nil)])
                }
            default: continue
            }
        }
        for operation in resource.operation.compactMap(\.name) {
            switch operation {
            case "validate":
                add("/\(type)/$validate", "post", name(operation), body: type, answers: [("200", "OperationOutcome")])
            case "everything":
                add(
                    one + "/$everything", "get", name(operation), path: own,
                    query: ["_type", "_since", "start", "end", "_count", "_cursor"], answers: [("200", "Bundle")])
            case "export" where type == GroupMembership.type:
                addExport(one + "/$export", name(operation), path: own, query: Self.export + ["patient"])
            case "export": addExport("/\(type)/$export", name(operation), query: Self.export + ["patient"])
            default: continue
            }
        }
    }

    private static let history = ["_since", "_at", "_count", "_cursor"]
    private static let export = ["_outputFormat", "_since", "_type", "_elements", "_typeFilter"]

    // MARK: - An operation

    private mutating func add(
        _ address: String, _ method: String, _ name: String, path: [String] = [], query: [String] = [],
        prefers: Bool = false, body: String? = nil, form: [String]? = nil, answers: [(status: String, type: String?)],
        isOpen: Bool = false
    ) {
        var operation = JSONObject()
        operation["operationId"] = .string(name)
        var parameters: [JSON] = path.map { ["$ref": .string("#/components/parameters/" + $0)] }
        var seen: Set<String> = []
        for name in query where seen.insert(name).inserted {
            parameters.append(["name": .string(name), "in": "query", "schema": ["type": "string"]])
        }
        if prefers {
            parameters.append([
                "name": "Prefer", "in": "header", "required": true, "schema": ["type": "string"],
            ])
        }
        if !parameters.isEmpty { operation["parameters"] = .array(parameters) }
        if let body { operation["requestBody"] = ["required": true, "content": Self.content(body)] }
        if let form {
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
            response["description"] = .string(answer.type ?? "Done")
            if let type = answer.type { response["content"] = Self.content(type) }
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
