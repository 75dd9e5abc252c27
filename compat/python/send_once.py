"""Sends one record of 16 KiB with kafka-python, once, and prints what came of it.

usage: send_once.py BOOTSTRAP TOPIC
"""

import sys

import kafka
from kafka.errors import KafkaError

# More than what may be left of the last page of a file on a disk that is full.
VALUE = b"p" * 16384

producer = kafka.KafkaProducer(bootstrap_servers=sys.argv[1], acks="all", retries=0)
try:
    print(f"accepted at offset {producer.send(sys.argv[2], VALUE, partition=0).get(20).offset}")
except KafkaError as refused:
    print(f"refused: {type(refused).__name__}")
    sys.exit(1)
finally:
    producer.close()
