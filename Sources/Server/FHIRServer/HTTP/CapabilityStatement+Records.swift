import BulkExport
import FHIR
import FHIRHTTP
import FHIRSearch
import Foundation

extension CapabilityStatement {
    /// Creates the statement of the FHIR API's capabilities (<https://hl7.org/fhir/R4/http.html#capabilities>).
    package static func records(
        date: Date, url: String, published: [String], hasExports: Bool = false, oauthURIs: JSON? = nil,
        version: String? = nil
    ) -> CapabilityStatement {
        var statement = CapabilityStatement(JSONObject(resourceType: CapabilityStatement.resourceType))
        statement.status = .active
        statement.date = DateTime(date, milliseconds: false)
        statement.kind = .instance
        var software = Software(name: "Tributary")
        software.version = version
        statement.software = software
        var implementation = Implementation(description: "Records of a study")
        implementation.url = url
        statement.implementation = implementation
        statement.fhirVersion = .v4_0_1
        statement.format = ["application/fhir+json", "application/fhir+xml"]
        statement.patchFormat = ["application/fhir+json", "application/fhir+xml"] + ResourcePatch.ownMediaTypes
        var rest = Rest(mode: .server)
        var security = Rest.Security()
        security.description =
            "A bearer token is required, except for metadata, Questionnaires and definitions."
        if let oauthURIs {
            security.object["extension"] = .array([oauthURIs])
            let system = "http://terminology.hl7.org/CodeSystem/restful-security-service"
            security.service = [CodeableConcept(coding: [Coding(system: system, code: "SMART-on-FHIR")])]
        }
        rest.security = security
        var whole = [.transaction, .batch, .historySystem, .searchSystem].map { Rest.Interaction(code: $0) }
        whole[0].documentation = "Up to \(BundleEntry.maximumCount) entries; references by a search are resolved."
        rest.interaction = whole
        rest.documentation = searching
        rest.searchParam = common.map(searchParameter)
        rest.compartment = SearchParameterTable.r4.compartments.map {
            "http://hl7.org/fhir/CompartmentDefinition/" + $0.lowercased()
        }
        rest.resource =
            RecordType.all.filter { !published.contains($0) }.map {
                $0 == AuditEvent.resourceType ? auditEvent : resource($0)
            } + published.map(definition)
        if hasExports {
            statement.instantiates = ["http://hl7.org/fhir/uv/bulkdata/CapabilityStatement/bulk-data"]
            rest.operation = [exporting("export")]
            for index in rest.resource.indices {
                switch rest.resource[index].type {
                case Patient.resourceType: rest.resource[index].operation.append(exporting("patient-export"))
                case GroupMembership.type: rest.resource[index].operation.append(exporting("group-export"))
                default: continue
                }
            }
        }
        statement.rest = [rest]
        return statement
    }

    /// An operation of Bulk Data Access (<https://hl7.org/fhir/uv/bulkdata/STU2/>).
    private static func exporting(_ name: String) -> Rest.Resource.Operation {
        Rest.Resource.Operation(
            name: "export", definition: "http://hl7.org/fhir/uv/bulkdata/OperationDefinition/" + name)
    }

    /// The audit, which only the server writes.
    private static var auditEvent: Rest.Resource {
        var resource = Rest.Resource(type: AuditEvent.resourceType)
        resource.documentation = """
            Made from the rows of the audit when they are read, the newest first. Staff read all of them, participants \
            those about themselves.
            """
        resource.interaction = [.read, .searchType].map { Rest.Resource.Interaction(code: $0) }
        resource.versioning = .noVersion
        resource.searchParam = AuditEventQuery.parameters.map {
            Rest.Resource.SearchParam(name: $0.name, type: $0.type)
        }
        resource.operation = [
            Rest.Resource.Operation(
                name: "validate", definition: "http://hl7.org/fhir/OperationDefinition/Resource-validate")
        ]
        return resource
    }

    private static func definition(_ type: String) -> Rest.Resource {
        var resource = Rest.Resource(type: type)
        resource.interaction = [.read, .searchType].map { Rest.Resource.Interaction(code: $0) }
        resource.versioning = .noVersion
        resource.searchParam = PublishedResources.parameters.map {
            Rest.Resource.SearchParam(name: $0.name, type: $0.kind)
        }
        return resource
    }

    /// The documentation that the types' parameters do not contain.
    private static let searching = """
        Searches of a type, of all types (`_type`) and of compartments, by GET and by forms, support chains and `_has` \
        with up to \(SearchCriterionReader.deepest) references, `_include` and `_revinclude` with `:iterate` and `*`, \
        `_sort`, `_count`, `_total`, `_summary`, `_elements`. `:in`, `:not-in`, `:above` and `:below` work with the value \
        sets that R4 binds to its elements, and with stored ValueSets and CodeSystems that enumerate their codes. Not \
        supported: `_filter`, `_text`, `_content`, `_list`, `_query`, `_contained`, `near`. A Subscription is stored as \
        any other record: nothing is sent for it, and its status stays as written.
        """

    /// The parameters that all types have.
    private static let common: [SearchParameterTable.Parameter] = {
        let trees = RecordType.all.compactMap(ParameterPathTrie.of)
        return trees.first?.parameters.filter { parameter in trees.allSatisfy { $0.index(of: parameter.code) != nil } }
            ?? []
    }()

    private static func searchParameter(_ parameter: SearchParameterTable.Parameter) -> Rest.Resource.SearchParam {
        var known = Rest.Resource.SearchParam(name: parameter.code, type: parameter.kind)
        known.definition = parameter.url
        return known
    }

    private static func resource(_ type: String) -> Rest.Resource {
        var resource = Rest.Resource(type: type)
        let reading: [TypeRESTfulInteraction] = [.read, .vread, .historyInstance, .historyType, .searchType]
        resource.interaction = (reading + [.create, .update, .patch, .delete]).map {
            Rest.Resource.Interaction(code: $0)
        }
        resource.conditionalCreate = true
        resource.conditionalUpdate = true
        resource.conditionalDelete = .single
        resource.updateCreate = true
        var operations = [("validate", "http://hl7.org/fhir/OperationDefinition/Resource-validate")]
        if type == Patient.resourceType {
            operations.append(("everything", "http://hl7.org/fhir/OperationDefinition/Patient-everything"))
        }
        resource.operation = operations.map { Rest.Resource.Operation(name: $0, definition: $1) }
        resource.versioning = .versioned
        resource.readHistory = true
        resource.conditionalRead = .notMatch
        if type == RawBinary.type {
            resource.documentation = """
                Read and written as its content too: any media type in Accept and Content-Type, X-Security-Context for \
                securityContext. Accept: application/fhir+json or application/fhir+xml reads the resource.
                """
        }
        // The standard defines the modifiers and prefixes of each kind.
        resource.searchParam = ParameterPathTrie.of(type)?.parameters.map(searchParameter) ?? []
        let own =
            ParameterPathTrie.of(type)?.parameters.filter { $0.kind == .reference }.map { type + ":" + $0.code } ?? []
        resource.object["searchInclude"] = .array((["*"] + own).map { .string($0) })
        resource.object["searchRevInclude"] = .array((["*"] + (reverseIncludes[type] ?? [])).map { .string($0) })
        return resource
    }

    /// For each type the references to it, except those with more than half of all types as targets.
    private static let reverseIncludes: [String: [String]] = {
        var includes: [String: [String]] = [:]
        for tree in RecordType.all.compactMap(ParameterPathTrie.of) {
            for parameter in tree.parameters
            where parameter.kind == .reference && parameter.targets.count < RecordType.all.count / 2 {
                for target in parameter.targets {
                    includes[target, default: []].append("\(tree.type):\(parameter.code)")
                }
            }
        }
        return includes
    }()
}
