"""A FHIR server made of PyPI's fhirstarter (R4B): create, read, update, delete and search by identifier of two types, in memory.
It has neither transactions nor conditions, and names the ids itself."""

import os
import sys
from uuid import uuid4

os.environ["FHIR_SEQUENCE"] = "R4B"

import uvicorn  # noqa: E402
from fhir.resources.R4B.bundle import Bundle  # noqa: E402
from fhir.resources.R4B.device import Device  # noqa: E402
from fhir.resources.R4B.observation import Observation  # noqa: E402
from fhirstarter import FHIRProvider, FHIRStarter, InteractionContext  # noqa: E402
from fhirstarter.exceptions import FHIRResourceNotFoundError  # noqa: E402

app = FHIRStarter(title="A server of fhirstarter")
provider = FHIRProvider()
STORE = {}


def serve(kind):
    name = kind.get_resource_type()
    store = STORE.setdefault(name, {})

    @provider.create(kind)
    async def create(context: InteractionContext, resource: kind) -> str:
        resource.id = uuid4().hex
        store[resource.id] = resource
        return resource.id

    @provider.read(kind)
    async def read(context: InteractionContext, id_: str) -> kind:
        if id_ not in store:
            raise FHIRResourceNotFoundError
        return store[id_]

    @provider.update(kind)
    async def update(context: InteractionContext, id_: str, resource: kind) -> str:
        if id_ not in store:
            raise FHIRResourceNotFoundError
        resource.id = id_
        store[id_] = resource
        return id_

    @provider.delete(kind)
    async def delete(context: InteractionContext, id_: str) -> None:
        if id_ not in store:
            raise FHIRResourceNotFoundError
        del store[id_]

    @provider.search_type(kind)
    async def search(context: InteractionContext, identifier: list[str] | None = None) -> Bundle:
        wanted = {token for part in identifier or [] for token in part.split(",")}
        found = [item for item in store.values() if not wanted or any(
            f"{one.system or ''}|{one.value}" in wanted for one in item.identifier or [])]
        return Bundle(type="searchset", total=len(found),
                      entry=[{"resource": item.model_dump(mode="json")} for item in found])


serve(Observation)
serve(Device)
app.add_providers(provider)

if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
