"""A living index with a filter: products come, change and go, and a search keeps to a shelf."""

import tempfile

import numpy as np

import summand

random = np.random.default_rng(1)
centres = random.standard_normal((100, 32)) * 2
products = (centres[random.integers(0, 100, 20_000)] + random.standard_normal((20_000, 32))).astype(np.float32)

with tempfile.TemporaryDirectory() as folder:
    with summand.LivingIndex.create(f"{folder}/shop", products[:10_000], "IVF64,LOCQ8,Refine(fp16)") as shop:
        ids = shop.add(products[:15_000])
        shop.add(products[15_000:], ids=range(50_000, 55_000))     # ids of our own
        shop.remove(ids[:100])
        shop.update(products[200:201] * 1.01, ids=[50_000])
        print(shop, 0 in shop, 50_000 in shop)

        shelf = summand.Filter(range(50_000, 55_000))
        reader = summand.LivingIndex.open(f"{folder}/shop")        # another process would do the same
        print(reader.search(products[200], k=3).ids, reader.search(products[200], k=3, filter=shelf).ids)
        shop.compact()
        print(reader.refresh(), reader.info())
