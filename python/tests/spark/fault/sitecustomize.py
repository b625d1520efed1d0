"""Kills a worker in the middle of a file, once for each file that SUMMAND_FAULT names and that is there."""

import os
import signal

fault = os.environ.get("SUMMAND_FAULT", "")


def install():
    import pyarrow.parquet as pq

    write = pq.ParquetWriter.write_table

    def faulty(self, table, *arguments, **options):
        write(self, table.slice(0, table.num_rows // 2), *arguments, **options)
        try:
            os.unlink(fault)
        except FileNotFoundError:
            return write(self, table.slice(table.num_rows // 2), *arguments, **options)
        os.kill(os.getpid(), signal.SIGKILL)

    pq.ParquetWriter.write_table = faulty


if fault:
    install()
